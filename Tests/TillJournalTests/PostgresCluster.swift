import Foundation
import Synchronization
import TillJournal

@testable import TillPostgres

/// A private server of PostgreSQL, made once for a run of the tests, on a socket in a folder of its own. It ends with
/// the process, however that ends: its shell waits for the end of a pipe.
final class PostgresCluster: Sendable {
    static let shared: Result<PostgresCluster, JournalError> = Result { () throws(JournalError) in
        try PostgresCluster()
    }

    let folder: String
    private let lifeline: Pipe

    private init() throws(JournalError) {
        // A socket's path has a hundred bytes at most.
        folder = "/tmp/till-pg-\(ProcessInfo.processInfo.processIdentifier)"
        lifeline = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", PostgresCluster.script, "bash", folder]
        process.standardInput = lifeline
        let ready = Pipe()
        process.standardOutput = ready
        do { try process.run() } catch { throw .unavailable("bash cannot be started: \(error)") }
        let said = String(decoding: ready.fileHandleForReading.availableData, as: UTF8.self)
        guard said.hasPrefix("ready") else {
            throw .unavailable("no server of PostgreSQL for the tests: scripts/setup test installs it. \(said)")
        }
    }

    /// A schema of its own, so that each site is a database of its own.
    func address(_ schema: String) throws -> String {
        try run("CREATE SCHEMA \(schema)", schema: "public")
        return place(schema)
    }

    /// What a session of its own is answered, as psql prints it without headings. Blocks.
    @discardableResult
    func run(_ sql: String, schema: String) throws -> String {
        try PostgresConnection(place(schema), .survey).execute(sql).map { row in
            row.columns.map { String(decoding: $0 ?? [], as: UTF8.self) }.joined(separator: "|")
        }.joined(separator: "\n")
    }

    private func place(_ schema: String) -> String {
        "postgresql:///postgres?host=\(folder)&user=till&options=-csearch_path%3D\(schema)"
    }

    /// PostgreSQL refuses to run as root.
    private static let script = """
        folder=$1
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
        [ -n "$bin" ] || { echo "initdb is not there"; exit 1; }
        as=()
        mkdir -p "$folder"
        if [ "$(id -u)" = 0 ]; then
            as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
            chown postgres "$folder"
        fi
        cd "$folder"
        "${as[@]}" "$bin/initdb" -D "$folder/data" -U till -A trust -E UTF8 --locale=C >"$folder/log" 2>&1 \\
            || { tail -3 "$folder/log"; exit 1; }
        "${as[@]}" "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off \\
            -c max_connections=1000 -c shared_buffers=64MB >>"$folder/log" 2>&1 </dev/null &
        server=$!
        for _ in $(seq 200); do
            "$bin/pg_isready" -q -h "$folder" && break
            sleep 0.05
        done
        "$bin/pg_isready" -q -h "$folder" && echo ready || tail -3 "$folder/log"
        exec >/dev/null
        cat >/dev/null
        kill -QUIT $server
        wait $server
        rm -rf "$folder"
        """
}
