import Foundation
import GRDB
import Testing
import TillAdyen
import TillApplePay
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillJournalSQLite
import TillTestSupport

@testable import TillServer

/// A journal that the release before records wrote: sales, keys, printers, prints in each state, baskets, an account,
/// mail and notifications. Opened by this one, everything is found again.
@Suite("A journal of the release before")
struct EarlierJournalTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("JournalFixtures/before-records.sql")
    private let path = FileManager.default.temporaryDirectory.path + "/earlier-\(UUID().uuidString)/journal.sqlite"
    /// The time at which it was written.
    private let then = Timestamp(milliseconds: 1_795_340_702_000)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        let sql = try String(contentsOf: Self.fixture, encoding: .utf8)
        var configuration = Configuration()
        // The tables come by name, so rows come before those that they refer to.
        configuration.foreignKeysEnabled = false
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { try $0.execute(sql: sql) }
        try database.close()
    }

    private func tables() async throws -> [String] {
        try await DatabaseQueue(path: path).read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        }
    }

    @Test("Payments are as they were, and the features' tables are gone")
    func payments() async throws {
        let journal = try SQLiteJournal.open(at: path, clock: ManualClock(then.adding(.days(1))))
        let report = try await journal.verify()
        #expect(report.isSound && report.payments == 8 && report.events == 43, "\(report.problems)")
        #expect(
            try await tables().filter { !$0.hasPrefix("sqlite_") && !$0.hasPrefix("grdb_") } == [
                "audit", "audit_log", "event", "idempotency", "journal", "outbox", "payment", "probe", "process",
                "record", "record_field", "webhook",
            ])
        // Opened once more it is left as it is.
        try await journal.close()
        let again = try SQLiteJournal.open(at: path)
        #expect(try await again.count("print_job", matching: nil) == 7)
        try await again.close()
    }

    @Test("Keys let in, and a revoked one does not")
    func keys() async throws {
        let journal = try SQLiteJournal.open(at: path)
        let keys = APIKeys(journal, clock: SystemClock())
        let key = "till_ff0981bf8936ff66677e96eeed5184bc1439474f077a45a313430f3314278cc0"
        #expect(try await keys.account(ofHash: digest(key.utf8)) == .main)
        let all = try await keys.all()
        #expect(all.map(\.label) == ["shop", "warehouse", "lost laptop"])
        let revoked = try #require(all.last)
        #expect(revoked.revokedAt == revoked.createdAt.adding(.seconds(5)))
        #expect(try await keys.account(ofHash: revoked.hash) == nil)
        try await journal.close()
    }

    @Test("Printers and prints are as they were, and what a dead process was sending is taken over")
    func printing() async throws {
        let journal = try SQLiteJournal.open(at: path)
        let printers = try await PrinterRegistry(journal).all()
        #expect(printers.map(\.name) == ["bar", "hall", "kitchen", "office"])
        #expect(printers.map(\.profile) == ["58", "80", "80", "80"])
        #expect(printers.map(\.trustsFirst) == [false, true, false, false])
        #expect(printers.last?.certificate == [UInt8](repeating: 0xAB, count: 32) && printers.last?.user == "ada")
        #expect(printers.last?.passwordFile == "/tmp/shop/pw" && printers.first?.certificate == nil)

        let jobs = PrintJobs(journal)
        let third = PaymentID(rawValue: "pay_01m81a9t8q5ejnrfejzwp8hv48")
        let prints = try await jobs.jobs(of: third)
        #expect(prints.map(\.state) == [.printed, .failed, .mayHavePrinted, .sending, .canceled])
        #expect(prints.map(\.number) == [41, 42, 43, 44, nil] && prints.map(\.copies) == [1, 2, 3, 4, 1])
        #expect(prints.map(\.copy) == ["customer", "merchant", "customer", "merchant", "customer"])
        #expect(prints.map(\.isBegun) == [true, false, true, true, false] && prints[3].refund?.rawValue == "ref_1")
        #expect(prints[0].note == "It is on paper." && prints[0].createdAt.milliseconds == 1_795_340_696_738)
        #expect(try await jobs.jobs(of: PaymentID(rawValue: "pay_01m81a9ssf3zk9e3ze64becv81")).map(\.state) == [.sent])
        let open = try await jobs.jobs(of: nil)
        #expect(open.map(\.state) == [.waiting, .sending] && open[0].width == "58" && open[0].tries == 1)
        #expect(open[0].nextTryAt.milliseconds == 1_795_340_701_586)
        #expect(try await jobs.waiting(dueBy: Timestamp(milliseconds: 1_795_340_701_585)).isEmpty)
        #expect(try await jobs.waiting(dueBy: Timestamp(milliseconds: 1_795_340_701_586)).count == 1)
        #expect(try await jobs.uncertain(since: then.adding(.days(-1))).map(\.number) == [43])
        #expect(try await jobs.takeOver().map(\.number) == [44])
        #expect(try await jobs.begin(open[0].id))
        try await journal.close()
    }

    @Test("Baskets, accounts, transactions and token events are as they were")
    func wallets() async throws {
        let journal = try SQLiteJournal.open(at: path)
        let baskets = ApplePayBaskets(journal: journal, owner: .main, clock: SystemClock())
        let open = try #require(try await baskets.entry("shop-e12c4da3611978dba4e3"))
        #expect(open.attempt == nil && open.holder == .nobody && open.nonce.count == 32)
        #expect(try open.basket.total().minorUnits == 1_599 && open.basket.shippingMethods.count == 2)
        let paid = try #require(try await baskets.entry("shop-eddd05a866f04635128a"))
        #expect(
            paid.answer?["status"] == .string("placed") && paid.attempt?.fullContact?.emailAddress == "ada@example.com")
        #expect(paid.attempt?.payment?.rawValue == "pay_01m81aa40mt3r8d7ymb0ccxwqa" && paid.holder == .nobody)
        let stuck = try #require(try await baskets.entry("shop-7d2d144ee299c06e23ca"))
        #expect(stuck.attempt?.transaction == "txn-dead" && stuck.holder == .deadProcess && stuck.answer == nil)
        #expect(try await Records<WalletBasket>(journal).count(matching: WalletBasket.open) == 1)
        // What nobody paid ends a day after it was opened, what was paid 180 days after it.
        let ends = try await journal.records(RecordQuery("wallet_basket", .due(by: then.adding(.days(200)))))
        #expect(ends.map(\.id.key) == [open.basket.id, paid.basket.id])
        #expect(ends.first?.due == Timestamp(milliseconds: 1_795_340_701_588).adding(.hours(24)))

        let token = "251b334a9170dd005ff6ca9f5a05b370fd8da04f102062e73f74fd529e6c14aa"
        let customers = CustomerAccounts(
            journal, owner: .main, pepper: Pepper(besideJournal: path), clock: ManualClock())
        #expect(try await customers.customer(showing: token) == "guest_02ac7bc1c1bb5f6d")
        let contact = try #require(paid.attempt?.fullContact)
        #expect(await customers.account(of: contact, basket: "b")?.id == "guest_02ac7bc1c1bb5f6d")

        let replay = JournalReplayStore(store: journal, clock: SystemClock())
        let name = "f87586a564f7e8dbbe219342b57a3be6c0386609ef57c1cbc4508e9faa09fa3b"
        let transaction = WalletTransactionID(bytes: try #require(Hex.decode(name)))
        #expect(await !replay.reserve(transaction, for: "another order", until: then))
        let seen = try await journal.records(RecordQuery("wallet_transaction"))
        #expect(seen.count == 1 && seen.first?.body.count == 32)

        let events = try await MerchantTokenLog(journal, clock: SystemClock()).newest(10)
        #expect(events.map(\.id) == ["event-known", "event-waiting"] && events.last?.details == nil)
        #expect(events.first?.details == Array(#"{"eventType":"EXPIRED","lastFour":"1234"}"#.utf8))
        #expect(try await MerchantTokenLog(journal, clock: SystemClock()).waiting(limit: 10).count == 1)
        try await journal.close()
    }

    @Test("Mail and notifications are as they were")
    func mail() async throws {
        let journal = try SQLiteJournal.open(at: path)
        let first = try await ReceiptMails(journal).mails(of: PaymentID(rawValue: "pay_01m81a9ssf3zk9e3ze64becv81"))
        #expect(first.map(\.state) == [.sent, .mayHaveBeenSent, .failed])
        #expect(first.map(\.to) == ["a•••@example.com", "b•••@example.com", "a•••@customer.example"])
        #expect(first[1].note == "Till stopped while it was sent." && first[0].note == "The receipt was sent.")
        let second = try await ReceiptMails(journal).mails(of: PaymentID(rawValue: "pay_01m81a9t0zp4pn0pnc9hbxmc16"))
        #expect(second.map(\.state) == [.mayHaveBeenSent] && second.first?.note == "No answer.")
        let adyen = KeptAdyenNotifications(
            JournalNotifications(store: journal, provider: ProviderName(rawValue: "adyen")))
        #expect(try await adyen.about("PSP1").map(\.name) == ["AUTHORISATION/PSP1/true", "CAPTURE/PSP2/true"])
        #expect(try await adyen.named("pay_2-r1").map(\.amount) == [Money(minorUnits: 1_250, currency: .eur)])
        // What comes again is kept once.
        try await adyen.keep(try await adyen.about("PSP1"))
        #expect(try await journal.count("adyen_notification", matching: nil) == 3)
        try await journal.close()
    }

    @Test("It is left as it is while a process of the release before works on it")
    func inUse() async throws {
        // Such a process holds the byte of its number in the file of owners; it must be another one than ours.
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        other.arguments = [
            "python3", "-c",
            """
            import fcntl, sys
            file = open(sys.argv[1], "r+b")
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 24)
            print("held", flush=True)
            sys.stdin.read()
            """, path + "-owners",
        ]
        #expect(FileManager.default.createFile(atPath: path + "-owners", contents: nil))
        let (input, output) = (Pipe(), Pipe())
        other.standardInput = input
        other.standardOutput = output
        try other.run()
        _ = output.fileHandleForReading.availableData
        #expect {
            try SQLiteJournal.open(at: path)
        } throws: { error in
            if case .unavailable(let text)? = error as? JournalError { text.contains("earlier version") } else { false }
        }
        #expect(try await tables().contains("print_job"))
        try input.fileHandleForWriting.close()
        other.waitUntilExit()
        let journal = try SQLiteJournal.open(at: path)
        #expect(try await journal.count("print_job", matching: nil) == 7)
        try await journal.close()
    }
}
