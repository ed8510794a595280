import com.sun.net.httpserver.HttpExchange
import java.sql.Connection
import java.sql.SQLException

/** Answers 426 to a client that has to update, in the JDK's own server, by JDBC, and says whether it did. */
fun refuse(exchange: HttpExchange, database: Connection): Boolean {
    try {
        val query = database.prepareStatement("SELECT action, target, target_app, url FROM pawl.ask(?, ?, NULL, ?)")
        try {
            listOf("X-App", "X-App-Version", "X-OS-Version").forEachIndexed { place, name ->
                query.setString(place + 1, exchange.requestHeaders.getFirst(name))
            }
            val row = query.executeQuery()
            if (!row.next() || row.getString("action") != "force") return false
            val url = row.getString("url").toByteArray()
            exchange.responseHeaders.set("Upgrade", row.getString("target_app") + "/" + row.getString("target"))
            exchange.responseHeaders.set("Connection", "upgrade")
            exchange.sendResponseHeaders(426, url.size.toLong())
            exchange.responseBody.write(url)
            exchange.close()
            return true
        } finally {
            query.close()
        }
    } catch (unreachable: SQLException) {
        return false // A database that cannot be reached refuses no one.
    }
}
