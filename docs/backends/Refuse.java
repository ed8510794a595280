import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Refuses clients that have to update, in the JDK's own server, by JDBC. */
class Refuse {
    /** Answers 426 to a client that has to update, and says whether it did; the source is a pool of connections. */
    static boolean refuse(HttpExchange exchange, DataSource pool) throws IOException {
        byte[] url;
        try (var database = pool.getConnection();
                var query = database.prepareStatement("SELECT action, url FROM pawl.ask(?, ?, NULL, ?)")) {
            query.setQueryTimeout(1);
            query.setString(1, exchange.getRequestHeaders().getFirst("X-App"));
            query.setString(2, exchange.getRequestHeaders().getFirst("X-App-Version"));
            query.setString(3, exchange.getRequestHeaders().getFirst("X-OS-Version"));
            var row = query.executeQuery();
            if (!row.next() || !row.getString("action").equals("force")) return false;
            url = row.getString("url").getBytes();
        } catch (SQLException unreachable) {
            return false; // A database that cannot be reached refuses no one.
        }
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(426, url.length);
        exchange.getResponseBody().write(url);
        exchange.close();
        return true;
    }
}
