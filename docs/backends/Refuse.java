import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Refuses clients that have to update, in the JDK's own server, by JDBC. */
class Refuse {
    /** Answers 426 to a client that has to update, and says whether it did. */
    static boolean refuse(HttpExchange exchange, Connection database) throws IOException {
        try (var query = database.prepareStatement("SELECT action, target, target_app, url FROM pawl.ask(?, ?, NULL, ?)")) {
            query.setString(1, exchange.getRequestHeaders().getFirst("X-App"));
            query.setString(2, exchange.getRequestHeaders().getFirst("X-App-Version"));
            query.setString(3, exchange.getRequestHeaders().getFirst("X-OS-Version"));
            var row = query.executeQuery();
            if (!row.next() || !row.getString("action").equals("force")) return false;
            byte[] url = row.getString("url").getBytes();
            exchange.getResponseHeaders().set("Upgrade", row.getString("target_app") + "/" + row.getString("target"));
            exchange.getResponseHeaders().set("Connection", "upgrade");
            exchange.sendResponseHeaders(426, url.length);
            exchange.getResponseBody().write(url);
            exchange.close();
            return true;
        } catch (SQLException unreachable) {
            return false; // A database that cannot be reached refuses no one.
        }
    }
}
