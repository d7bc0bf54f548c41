import Testing

@testable import TillPostgres

@Suite("The servers that an address names")
struct PostgresHostsTests {
    @Test(
        "Several are tried one by one, in their order",
        arguments: [
            ("postgresql://till@db1,db2/till?sslmode=require", ["db1 ", "db2 "]),
            ("postgres://a,b:5433,[::1]:5434/x", ["a ", "b 5433", "::1 5434"]),
            ("postgresql://till:x@db1:1,db2:2", ["db1 1", "db2 2"]),
        ])
    func several(_ address: String, _ hosts: [String]) {
        #expect(PostgresHosts(address).hosts.map { "\($0.name) \($0.port)" } == hosts)
    }

    @Test(
        "One server, a socket's folder and what cannot be read is left to the library",
        arguments: [
            "postgresql://till@db1/till", "postgresql:///till?host=a,b", "postgresql://%2Ftmp,b/till",
            "postgresql://a,,b/t",
            "postgresql://[::1,b/till", "journal.sqlite", "",
        ])
    func other(_ address: String) {
        #expect(PostgresHosts(address).hosts.isEmpty)
    }
}
