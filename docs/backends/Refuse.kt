import com.sun.net.httpserver.HttpExchange
import java.sql.SQLException
import javax.sql.DataSource

/** Answers 426 to a client that has to update, in the JDK's own server, and says whether it did; the source is a pool. */
fun refuse(exchange: HttpExchange, pool: DataSource): Boolean {
    val url = try {
        pool.connection.use { database ->
            database.prepareStatement("SELECT action, url FROM pawl.ask(?, ?, NULL, ?)").use { query ->
                query.queryTimeout = 1
                listOf("X-App", "X-App-Version", "X-OS-Version").forEachIndexed { place, name ->
                    query.setString(place + 1, exchange.requestHeaders.getFirst(name))
                }
                val row = query.executeQuery()
                if (row.next() && row.getString("action") == "force") row.getString("url").toByteArray() else null
            }
        }
    } catch (unreachable: SQLException) {
        null // A database that cannot be reached refuses no one.
    }
    if (url == null) return false
    exchange.responseHeaders.set("Content-Type", "text/plain")
    exchange.sendResponseHeaders(426, url.size.toLong())
    exchange.responseBody.write(url)
    exchange.close()
    return true
}
