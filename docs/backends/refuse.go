package main

import (
	"database/sql"
	"io"
	"net/http"
)

// refuse answers 426 to a client that has to update, and says whether it did.
func refuse(w http.ResponseWriter, r *http.Request, db *sql.DB) bool {
	header := func(name string) sql.NullString {
		value := r.Header.Get(name)
		return sql.NullString{String: value, Valid: value != ""}
	}
	var action, target, app, url sql.NullString
	err := db.QueryRow("SELECT action, target, target_app, url FROM pawl.ask($1, $2, NULL, $3)",
		header("X-App"), header("X-App-Version"), header("X-OS-Version")).Scan(&action, &target, &app, &url)
	// No row, or a database that cannot be reached, refuses no one.
	if err != nil || action.String != "force" {
		return false
	}
	w.Header().Set("Upgrade", app.String+"/"+target.String)
	w.Header().Set("Connection", "upgrade")
	w.WriteHeader(http.StatusUpgradeRequired)
	io.WriteString(w, url.String)
	return true
}
