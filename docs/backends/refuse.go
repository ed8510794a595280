package main

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"time"
)

// refuse answers 426 to a client that has to update, and says whether it did; a sql.DB is a pool of connections.
func refuse(w http.ResponseWriter, r *http.Request, db *sql.DB) bool {
	header := func(name string) sql.NullString {
		value := r.Header.Get(name)
		return sql.NullString{String: value, Valid: value != ""}
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	var action, url sql.NullString
	err := db.QueryRowContext(ctx, "SELECT action, url FROM pawl.ask($1, $2, NULL, $3)",
		header("X-App"), header("X-App-Version"), header("X-OS-Version")).Scan(&action, &url)
	// No row, or a database that cannot be reached, refuses no one.
	if err != nil || action.String != "force" {
		return false
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusUpgradeRequired)
	io.WriteString(w, url.String)
	return true
}
