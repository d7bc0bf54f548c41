import Testing

@testable import TillJournal

@Suite("Addresses of journals")
struct JournalAddressTests {
    @Test(
        "A path is a file, whatever characters it has",
        arguments: ["till.sqlite", ".till/journal.sqlite", "/a b/c:d", "C:/x", "1://x", "://x", ""])
    func file(_ path: String) throws {
        let address = try JournalAddress(path)
        #expect(address == .file(path) && address.files == path)
    }

    @Test("An address of PostgreSQL is taken as it is; files of the counter get a plain name")
    func postgres() throws {
        for text in ["postgresql://till@db1,db2:5433/till?sslmode=require", "postgres:///till", "PostgreSQL://h/d"] {
            #expect(try JournalAddress(text) == .postgres(text))
        }
        let address = try JournalAddress("postgresql://me@db1,[::1]:5433/till?options=-csearch_path=x")
        #expect(address.files == ".till/postgresql-db1----1--5433-till")
    }

    @Test("The address of anything else is refused by its name", arguments: ["mysql://h/d", "http://h", "file:///x"])
    func others(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        #expect(throws: JournalAddressError.unknownScheme(String(scheme))) { try JournalAddress(text) }
    }

    @Test(
        "A password in an address is refused, since others can see it",
        arguments: [
            "postgresql://till:secret@h/d", "postgresql:///d?user=x&password=secret", "postgres://:secret@h/d",
            "postgresql://h/d?PASSWORD=secret",
        ])
    func password(_ text: String) {
        #expect(throws: JournalAddressError.password) { try JournalAddress(text) }
    }
}
