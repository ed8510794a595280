<?php
// Refuses clients that have to update, by PDO.

/**
 * Answers 426 to a client that has to update, and ends the script.
 *
 * @param callable(): PDO $connect
 */
function refuse(callable $connect): void
{
    $asked = fn($name) => $_SERVER["HTTP_X_$name"] ?? null;
    try {
        $query = $connect()->prepare("SELECT action, url FROM pawl.ask(?, ?, NULL, ?)");
        $query->execute([$asked("APP"), $asked("APP_VERSION"), $asked("OS_VERSION")]);
        $row = $query->fetch(PDO::FETCH_ASSOC);
    } catch (PDOException) {
        return; // A database that cannot be reached refuses no one.
    }
    if ($row && $row["action"] === "force") {
        http_response_code(426);
        header("Content-Type: text/plain");
        exit($row["url"]);
    }
}
