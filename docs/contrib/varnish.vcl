# Varnish before a web server with the documents of 'pawl export'. See docs/serving.md.
#
# Change the backend. docs/deliver/purge.py says which app's answers changed, so that a stop is served at once and not after
# a minute.
vcl 4.1;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

acl deliver {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "BAN") {
        if (client.ip !~ deliver || req.http.X-App !~ "^[a-z0-9][a-z0-9-]{0,62}$") {
            return (synth(403));
        }
        ban("req.url ~ (/|app=)" + req.http.X-App + "([/.&]|$)");
        return (synth(200));
    }
}

sub vcl_backend_response {
    # An old answer may be the one that was stopped.
    set beresp.grace = 0s;
}
