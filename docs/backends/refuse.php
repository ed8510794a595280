<?php
// Refuses clients that have to update, by PDO.

/** Answers 426 to a client that has to update, and ends the script. */
function refuse(PDO $database): void
{
    $asked = fn($name) => $_SERVER["HTTP_X_$name"] ?? null;
    try {
        $query = $database->prepare("SELECT action, target, target_app, url FROM pawl.ask(?, ?, NULL, ?)");
        $query->execute([$asked("APP"), $asked("APP_VERSION"), $asked("OS_VERSION")]);
        $row = $query->fetch(PDO::FETCH_ASSOC);
    } catch (PDOException) {
        return; // A database that cannot be reached refuses no one.
    }
    if ($row && $row["action"] === "force") {
        http_response_code(426);
        header("Upgrade: {$row['target_app']}/{$row['target']}");
        header("Connection: upgrade");
        exit($row["url"]);
    }
}
