import Testing
import TillAdyen
import TillApplePay
import TillCore
@testable import TillCounter
@testable import TillFeatureApplePay
import TillJournal
import TillJournalSQLite
import TillPrinting
import TillTestSupport

@testable import TillServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What features keep, over each kind of store and by several processes.
@Suite("What features keep")
struct FeatureRecordTests {
    enum Kind: Sendable, CaseIterable { case sqlite, memory }

    /// A storage that processes open.
    private final class Place {
        let clock = ManualClock()
        private let kind: Kind
        private let storage = MemoryJournal.Storage()
        private let folder = Place.root + "/\(UInt64.random(in: .min ... .max))"
        /// Emptied when the next run begins, since a journal may outlive its place.
        private static let root: String = {
            let root = FileManager.default.temporaryDirectory.path + "/till-feature-tests"
            try? FileManager.default.removeItem(atPath: root)
            return root
        }()

        init(_ kind: Kind) { self.kind = kind }

        func open() throws -> any Journal & RecordStore {
            switch kind {
            case .sqlite: try SQLiteJournal.open(at: folder + "/journal.sqlite", clock: clock)
            case .memory: MemoryJournal(storage: storage, clock: clock)
            }
        }

        func end(_ store: any Journal & RecordStore) async throws {
            try await (store as? SQLiteJournal)?.close()
            (store as? MemoryJournal)?.crash()
        }
    }

    private func count(_ tries: Int, _ body: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<tries { group.addTask { try await body(number) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    // MARK: Prints

    @Test("A receipt is sent by one process, and by another once that one has died", arguments: Kind.allCases)
    func printing(_ kind: Kind) async throws {
        let place = Place(kind)
        let (first, second) = (try place.open(), try place.open())
        let job = PrintJob(
            id: "print_1", payment: PaymentID(rawValue: "pay_1"), printer: "bar", copy: "customer", copies: 2,
            isReprint: true, at: place.clock.now())
        try await PrintJobs(first).add(job)
        #expect(try await PrintJobs(second).job("print_1") == job)
        #expect(try await PrintJobs(second).waiting(dueBy: place.clock.now()).map(\.id) == ["print_1"])
        #expect(try await count(20) { try await PrintJobs($0 % 2 == 0 ? first : second).begin("print_1") } == 1)
        #expect(try await !PrintJobs(first).endWaiting("print_1", as: .canceled, note: ""))
        let (worker, other) =
            try await first.record(job.record.id)?.holder == .thisProcess ? (first, second) : (second, first)
        try await PrintJobs(worker).note(number: 7, of: "print_1")
        try await PrintJobs(worker).noteBegun("print_1")
        #expect(try await PrintJobs(other).takeOver().isEmpty)
        #expect(try await PrintJobs(worker).takeOver().isEmpty)
        #expect(try await PrintJobs(other).jobs(of: nil).map(\.state) == [.sending])
        try await place.end(worker)
        let left = try await PrintJobs(other).takeOver()
        #expect(left.map(\.number) == [7] && left.map(\.isBegun) == [true] && left.map(\.tries) == [1])
        #expect(try await PrintJobs(other).takeOver().isEmpty)
        try await PrintJobs(other).end("print_1", as: .mayHavePrinted, note: String(repeating: "n", count: 600))
        let ended = try #require(try await PrintJobs(other).jobs(of: job.payment).first)
        #expect(ended.state == .mayHavePrinted && ended.note.count == PrintJobs.maximumNote)
        #expect(try await PrintJobs(other).jobs(of: nil).isEmpty)
        #expect(
            try await PrintJobs(other).uncertain(since: place.clock.now().adding(.days(-1))).map(\.id) == ["print_1"])
        #expect(try await PrintJobs(other).uncertain(since: place.clock.now().adding(.days(1))).isEmpty)
    }

    @Test("A report that waits is its account's alone, and is found by its drawer and number", arguments: Kind.allCases)
    func report(_ kind: Kind) async throws {
        let place = Place(kind)
        let jobs = PrintJobs(try place.open())
        let report = PrintJob.Report(drawer: DrawerName(rawValue: "bar"), number: 12)
        var job = PrintJob(
            id: "print_1", report: report, of: .main, printer: "bar", isReprint: false, at: place.clock.now())
        job.width = "80"
        try await jobs.add(job)
        #expect(try await jobs.job("print_1") == job)
        #expect(job.account == .main && job.copy == "merchant")
        #expect(try await jobs.jobs(of: PrintJob.place(of: report, .main)) == [job])
        #expect(try await jobs.jobs(of: PrintJob.place(of: report, AccountID(rawValue: "other"))).isEmpty)
        #expect(try await jobs.count(waitingOf: .main) == 1)
    }

    @Test("A receipt that waits is due at its next try", arguments: Kind.allCases)
    func waiting(_ kind: Kind) async throws {
        let place = Place(kind)
        let jobs = PrintJobs(try place.open())
        let now = place.clock.now()
        try await jobs.add(
            PrintJob(
                id: "print_1", payment: PaymentID(rawValue: "pay_1"), printer: "bar", copy: "customer", copies: 1,
                isReprint: false, at: now))
        #expect(try await jobs.begin("print_1"))
        try await jobs.end("print_1", as: .waiting, note: "off", nextTryAt: now.adding(.seconds(5)))
        #expect(try await jobs.waiting(dueBy: now).isEmpty)
        #expect(try await jobs.waiting().count == 1)
        #expect(try await jobs.waiting(dueBy: now.adding(.seconds(5))).count == 1)
        #expect(try await jobs.endWaiting("print_1", as: .canceled, note: "canceled"))
        #expect(try await jobs.job("print_1")?.note == "canceled")
        #expect(try await jobs.waiting().isEmpty)
    }

    @Test("A printer's name is kept, replaced and forgotten", arguments: Kind.allCases)
    func printers(_ kind: Kind) async throws {
        let place = Place(kind)
        let registry = PrinterRegistry(try place.open())
        var office = KnownPrinter(name: "office", address: "ipps://a/ipp/print", profile: "80", certificate: [1, 2])
        office.trustsFirst = true
        office.user = "ada"
        office.passwordFile = "/tmp/pw"
        try await registry.keep(office)
        try await registry.keep(KnownPrinter(name: "bar", address: "socket://b:9100", profile: "58"))
        #expect(try await registry.all().map(\.name) == ["bar", "office"])
        #expect(try await registry.known("office") == office)
        office.address = "ipps://b/ipp/print"
        try await registry.keep(office)
        #expect(try await registry.known("office")?.address == "ipps://b/ipp/print")
        #expect(try await registry.forget("office"))
        #expect(try await !registry.forget("office"))
        #expect(try await registry.known("") == nil)
    }

    @Test("A printer is added once under a name, and each change is in the audit log", arguments: Kind.allCases)
    func addedPrinters(_ kind: Kind) async throws {
        let journal = try Place(kind).open()
        let registry = PrinterRegistry(journal)
        let new = NewPrinter(name: "bar", address: "socket://b")
        #expect(try await registry.add(new, replaces: false).address == "socket://b:9100")
        await #expect(throws: NewPrinterError.exists("bar")) { try await registry.add(new, replaces: false) }
        var narrow = new
        narrow.profile = "58"
        #expect(try await registry.add(narrow, replaces: true).profile == "58")
        #expect(try await registry.forget("bar"))
        #expect(try await !registry.forget("bar"))
        let log = try #require(journal as? any AuditLog)
        let notes = try await log.auditEntries(AuditQuery()).entries.map(\.note)
        #expect(notes.map(\.action.rawValue).sorted() == ["printer.added", "printer.added", "printer.removed"])
        #expect(notes.allSatisfy { $0.subject == "bar" })
    }

    /// A store in which another process adds a printer before each change.
    private struct OvertakenStore: RecordStore {
        let store: any RecordStore

        func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? { try await store.record(id) }
        func records(_ query: RecordQuery) async throws(JournalError) -> [KeptRecord] {
            try await store.records(query)
        }
        func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
            try await store.count(collection, matching: match)
        }
        func change(_ changes: [RecordChange], noting notes: [AuditNote]) async throws(JournalError) {
            let other = NewPrinter(name: "other", address: "socket://other")
            _ = try? await PrinterRegistry(store).add(other, replaces: false)
            try await store.change(changes, noting: notes)
        }
    }

    @Test("Of two printers added at the same moment one is the last that there may be", arguments: [true, false])
    func lastPrinter(_ replaces: Bool) async throws {
        let journal = try Place(.memory).open()
        let most = PrinterRegistry.maximum
        try await journal.change(
            (1..<most).map { .insert(KnownPrinter(name: "p\($0)", address: "socket://p:9100", profile: "80").record) })
        let registry = PrinterRegistry(OvertakenStore(store: journal))
        let late = NewPrinter(name: "late", address: "socket://late")
        await #expect(throws: NewPrinterError.tooMany) { try await registry.add(late, replaces: replaces) }
        #expect(try await Records<KnownPrinter>(journal).count() == most)
        #expect(try await registry.known("other") != nil)
        // One that is there already may still be replaced, and a place that is free again is filled.
        #expect(try await registry.add(NewPrinter(name: "p1", address: "socket://q"), replaces: true).profile == "80")
        #expect(try await registry.forget("p2"))
        #expect(try await PrinterRegistry(journal).add(late, replaces: replaces).name == "late")
        #expect(try await Records<KnownPrinter>(journal).count() == most)
    }

    @Test("What is no printer is refused by name before anything is written or sent")
    func refusedPrinters() throws {
        func refusal(
            _ name: String = "bar", _ address: String = "ipps://a/", _ change: (inout NewPrinter) -> Void = { _ in }
        ) -> NewPrinterError? {
            var new = NewPrinter(name: name, address: address)
            change(&new)
            do throws(NewPrinterError) { _ = try new.checked() } catch { return error }
            return nil
        }
        #expect(refusal() == nil)
        for name in ["", " ", "two words", "a/b", "..", String(repeating: "a", count: 41)] {
            #expect(refusal(name) == .name, "\(name)")
        }
        #expect(refusal("bar", "http://a/")?.field == "address")
        #expect(refusal("bar", "socket://169.254.169.254") == .address(.nobodys("169.254.169.254")))
        for host in ["::ffff:169.254.169.254", "::169.254.169.254", "64:ff9b::a9fe:a9fe", "::", "fe80::1"] {
            #expect(refusal("bar", "socket://[\(host)]") == .address(.nobodys(host)))
        }
        #expect(refusal { $0.profile = "wide" } == .profile("wide"))
        #expect(refusal { $0.pin = "12ab" } == .fingerprint)
        #expect(refusal("bar", "ipp://a/") { $0.trustsFirst = true } == .noCertificate)
        #expect(refusal { $0.user = "till" } == .credentials(.passwordFile("")))
        let digest = String(repeating: "ab", count: 32)
        #expect(refusal { $0.pin = digest } == nil)
    }

    // MARK: Mail

    @Test(
        "A receipt is sent to an address once at a time, and one left by a dead process may have been sent",
        arguments: Kind.allCases)
    func mail(_ kind: Kind) async throws {
        let place = Place(kind)
        let (first, second) = (try place.open(), try place.open())
        let payment = PaymentID(rawValue: "pay_1")
        let now = place.clock.now()
        let begun = try await count(10) { number in
            try await ReceiptMails(number % 2 == 0 ? first : second)
                .begin(ReceiptMail(id: "mail_\(number)", payment: payment, to: "a•••@example.com", at: now))
        }
        #expect(begun == 1)
        let other = ReceiptMail(id: "mail_b", payment: payment, to: "b•••@example.com", at: now)
        #expect(try await ReceiptMails(first).begin(other))
        try await ReceiptMails(first).end(other, as: .sent, note: "sent")
        let again = ReceiptMail(id: "mail_c", payment: payment, to: "b•••@example.com", at: now)
        #expect(try await ReceiptMails(first).begin(again))
        #expect(try await ReceiptMails(second).mails(of: payment).map(\.state) == [.sending, .sent, .sending])
        try await place.end(first)
        let left = try await ReceiptMails(second).mails(of: payment).last
        #expect(left?.state == .mayHaveBeenSent && left?.note == "Till stopped while it was sent.")
        let third = ReceiptMail(id: "mail_d", payment: payment, to: "b•••@example.com", at: now)
        #expect(try await ReceiptMails(second).begin(third))
    }

    // MARK: Baskets

    private func basket(_ id: String = "b-1", version: Int = 1) -> SheetBasket {
        let shop = SheetBasket.ShopAddress(
            name: "Shop", addressLines: ["1 Street"], locality: "London", postalCode: "EC4M 7RF", countryCode: "GB")
        return SheetBasket(
            id: id, currency: .gbp, service: .collection(shop),
            lines: [SheetItem(label: "Tea", amount: Money(minorUnits: 250, currency: .gbp))])
    }

    private func transaction() -> WalletTransactionID {
        WalletTransactionID(bytes: [UInt8](repeating: 0xAB, count: 32))
    }

    @Test(
        "Of many who pay a basket one begins, in whatever process, and it is not replaced then",
        arguments: Kind.allCases)
    func oneBegins(_ kind: Kind) async throws {
        let place = Place(kind)
        let stores = [try place.open(), try place.open()]
        let baskets = stores.map { ApplePayBaskets(journal: $0, owner: .main, clock: place.clock) }
        try await baskets[0].open(basket(), account: "guest_1")
        let kept = try #require(try await baskets[1].entry("b-1"))
        #expect(kept.basket == basket() && kept.account == "guest_1" && kept.nonce.count == 32)
        let transaction = transaction()
        let begun = try await count(20) { number in
            guard case .begin = try await baskets[number % 2].begin("b-1", version: 1, transaction: transaction) else {
                return false
            }
            return true
        }
        #expect(begun == 1)
        try await baskets[0].open(basket(), account: "other")
        #expect(try await baskets[0].entry("b-1")?.account == "guest_1")
        #expect(try await baskets[0].change("b-1") { _ in [] } == nil)
        let holders = [try await baskets[0].entry("b-1")?.holder, try await baskets[1].entry("b-1")?.holder]
        #expect(Set(holders) == [.thisProcess, .anotherProcess])
        try await baskets[1].note(
            PaymentID(rawValue: "pay_1"), of: "b-1", transaction: transaction.description, contact: Array("{}".utf8))
        // Only the transaction that holds it ends it.
        try await baskets[1].end("b-1", transaction: "other", answer: nil)
        let attempt = try #require(try await baskets[0].entry("b-1")?.attempt)
        #expect(attempt.payment?.rawValue == "pay_1" && attempt.contact == Array("{}".utf8) && attempt.answer == nil)
        try await baskets[0].end("b-1", transaction: transaction.description, answer: Array(#"{"status":"x"}"#.utf8))
        #expect(try await baskets[1].entry("b-1")?.holder == .nobody)
        #expect(try await baskets[1].entry("b-1")?.answer?["status"] == .string("x"))
        try await baskets[0].end("b-1", transaction: transaction.description, answer: nil)
        #expect(try await baskets[1].entry("b-1")?.attempt == nil)
    }

    @Test("A basket that is begun at another version than it has is not taken", arguments: Kind.allCases)
    func versions(_ kind: Kind) async throws {
        let place = Place(kind)
        let baskets = ApplePayBaskets(journal: try place.open(), owner: .main, clock: place.clock)
        try await baskets.open(basket())
        _ = try await baskets.change("b-1") { basket in
            basket.pay(byCredit: true)
            return []
        }
        let version = try #require(try await baskets.entry("b-1")?.basket.version)
        let transaction = transaction()
        for (tried, isTaken) in [(version + 1, false), (version, true)] {
            let admission = try await baskets.begin("b-1", version: tried, transaction: transaction)
            if case .begin = admission { #expect(isTaken) } else { #expect(!isTaken) }
        }
        guard case .missing = try await baskets.begin("none", version: 1, transaction: transaction) else {
            Issue.record("there is no such basket")
            return
        }
    }

    @Test("What nobody paid goes after a day; what was paid stays for 180", arguments: Kind.allCases)
    func lifetimes(_ kind: Kind) async throws {
        let place = Place(kind)
        let baskets = ApplePayBaskets(journal: try place.open(), owner: .main, clock: place.clock)
        let transaction = transaction()
        for id in ["old", "paying", "paid"] { try await baskets.open(basket(id)) }
        for id in ["paying", "paid"] { _ = try await baskets.begin(id, version: 1, transaction: transaction) }
        try await baskets.end("paid", transaction: transaction.description, answer: Array("{}".utf8))
        place.clock.advance(by: .hours(23))
        try await baskets.open(basket("new"))
        #expect(try await baskets.entry("old") != nil)
        place.clock.advance(by: .hours(2))
        try await baskets.open(basket("newer"))
        #expect(try await baskets.entry("old") == nil)
        #expect(try await baskets.entry("new") != nil)
        #expect(try await baskets.entry("paid") != nil)
        place.clock.advance(by: .days(180))
        try await baskets.open(basket("newest"))
        #expect(try await baskets.entry("paid") == nil)
        #expect(try await baskets.entry("paying") != nil)
    }

    @Test("A basket is there for its account only, and no other takes its name", arguments: Kind.allCases)
    func owners(_ kind: Kind) async throws {
        let place = Place(kind)
        let store = try place.open()
        let own = ApplePayBaskets(journal: store, owner: AccountID(rawValue: "north"), clock: place.clock)
        let other = ApplePayBaskets(journal: store, owner: .main, clock: place.clock)
        try await own.open(basket())
        #expect(try await other.entry("b-1") == nil)
        let changed = try await other.change("b-1") { basket in
            basket.pay(byCredit: true)
            return []
        }
        #expect(changed == nil)
        let transaction = transaction()
        guard case .missing = try await other.begin("b-1", version: 1, transaction: transaction) else {
            Issue.record("the basket of another account was taken")
            return
        }
        let (mine, foreign) = (basket(), basket("b-2"))
        await #expect(throws: JournalError.self) { try await other.open(mine) }
        try await other.open(foreign)
        #expect(try await own.entry("b-2") == nil)
        guard case .begin = try await own.begin("b-1", version: 1, transaction: transaction) else {
            Issue.record("the account's own basket was not taken")
            return
        }
        try await other.end("b-1", transaction: transaction.description, answer: nil)
        #expect(try await own.entry("b-1")?.attempt != nil)
    }

    @Test("Who buys of two accounts is a customer of each, and signs in at one only", arguments: Kind.allCases)
    func customers(_ kind: Kind) async throws {
        let store = try Place(kind).open()
        let own = CustomerAccounts(
            store, owner: AccountID(rawValue: "north"), pepper: .ofGuests, clock: ManualClock())
        let other = CustomerAccounts(store, owner: .main, pepper: .ofGuests, clock: ManualClock())
        let first = try #require(try await own.demoCustomer()).token.reveal()
        let second = try #require(try await other.demoCustomer()).token.reveal()
        #expect(try await own.customer(showing: first) == "customer_ada")
        #expect(try await other.customer(showing: second) == "customer_ada")
        #expect(try await other.customer(showing: first) == nil)
        #expect(try await own.customer(showing: second) == nil)
    }

    // MARK: Accounts, events, keys

    @Test("A name has one account, and its token is found by its hash only", arguments: Kind.allCases)
    func accounts(_ kind: Kind) async throws {
        let place = Place(kind)
        let stores = [try place.open(), try place.open()]
        let made = try await count(10) { number in
            let new = CustomerAccount(owner: .main, name: [1], id: "a\(number)", token: [2, UInt8(number)])
            let customers = CustomerAccounts(
                stores[number % 2], owner: .main, pepper: .ofGuests, clock: ManualClock())
            return try await customers.account(new)?.isNew == true
        }
        #expect(made == 1)
        let customers = CustomerAccounts(stores[0], owner: .main, pepper: .ofGuests, clock: ManualClock())
        let first = try #require(try await customers.demoCustomer())
        #expect(try await customers.customer(showing: first.token.reveal()) == "customer_ada")
        let second = try #require(
            try await CustomerAccounts(stores[1], owner: .main, pepper: .ofGuests, clock: ManualClock())
                .demoCustomer())
        #expect(try await customers.customer(showing: first.token.reveal()) == nil)
        #expect(try await customers.customer(showing: second.token.reveal()) == "customer_ada")
        #expect(try await customers.customer(showing: String(repeating: "0", count: 64)) == nil)
    }

    @Test("An event of a merchant's token is kept once and waits until its details are known", arguments: Kind.allCases)
    func events(_ kind: Kind) async throws {
        let place = Place(kind)
        let log = MerchantTokenLog(try place.open(), clock: place.clock)
        #expect(try await log.add("e-1"))
        #expect(try await log.add("e-2"))
        #expect(try await !log.add("e-1"))
        #expect(try await log.waiting(limit: 10).map(\.id) == ["e-1", "e-2"])
        try await log.end("e-1", details: Array(#"{"a":1}"#.utf8))
        try await log.forget("e-1")
        try await log.forget("e-2")
        #expect(try await log.waiting(limit: 10).isEmpty)
        #expect(try await log.newest(100).map(\.details) == [Array(#"{"a":1}"#.utf8)])
    }

    @Test("An event that Apple tells nothing of waits an hour, and is given up in the end", arguments: Kind.allCases)
    func missedEvents(_ kind: Kind) async throws {
        let place = Place(kind)
        let log = MerchantTokenLog(try place.open(), clock: place.clock)
        #expect(try await log.add("e-1"))
        #expect(try await log.add("e-2"))
        for number in 1...MerchantTokenRecord.maximumTries {
            #expect(try await Set(log.due(limit: 10).map(\.id)) == ["e-1", "e-2"])
            #expect(try await log.missed("e-1") == (number == MerchantTokenRecord.maximumTries))
            #expect(try await log.due(limit: 10).map(\.id) == ["e-2"])
            place.clock.advance(by: .hours(1))
        }
        #expect(try await log.waiting(limit: 10).map(\.id) == ["e-2"])
        #expect(try await log.newest(10).map(\.isGivenUp) == [false, true])
        #expect(try await !log.add("e-1"))
        #expect(try await log.due(limit: 10).map(\.id) == ["e-2"])
        // A clock that was set back does not put it off.
        #expect(try await !log.missed("e-2"))
        place.clock.advance(by: .hours(-48))
        #expect(try await log.due(limit: 10).map(\.id) == ["e-2"])
        try await log.end("e-2", details: Array(#"{"a":1}"#.utf8))
        #expect(try await !log.missed("e-2"))
        #expect(try await log.waiting(limit: 10).isEmpty)
    }

    @Test("A new event is asked about before all that Apple has told nothing of", arguments: Kind.allCases)
    func newEvents(_ kind: Kind) async throws {
        let place = Place(kind)
        let log = MerchantTokenLog(try place.open(), clock: place.clock)
        for number in 0...MerchantTokenLog.maximumConsidered {
            #expect(try await log.add("e-\(number)"))
            #expect(try await !log.missed("e-\(number)"))
        }
        #expect(try await log.add("new"))
        #expect(try await log.due(limit: 10).map(\.id) == ["new"])
        place.clock.advance(by: .hours(1))
        #expect(try await log.due(limit: 2).map(\.id) == ["new", "e-0"])
        #expect(try await log.waiting(limit: 1_000).count == MerchantTokenLog.maximumConsidered + 2)
    }

    @Test("A key lets its account in until it is revoked", arguments: Kind.allCases)
    func keys(_ kind: Kind) async throws {
        let place = Place(kind)
        let keys = APIKeys(try place.open(), clock: place.clock)
        try await keys.add(hash: [1, 2], account: .main, label: "Shop")
        await #expect(throws: JournalError.self) { try await keys.add(hash: [1, 2], account: .main, label: "x") }
        #expect(try await keys.account(ofHash: [1, 2]) == .main)
        #expect(try await keys.account(ofHash: [1]) == nil)
        #expect(try await keys.revoke(hash: [1, 2]))
        #expect(try await !keys.revoke(hash: [1, 2]))
        #expect(try await keys.account(ofHash: [1, 2]) == nil)
        #expect(try await keys.all().map(\.label) == ["Shop"])
        #expect(try await keys.all().first?.revokedAt == place.clock.now())
    }

    @Test(
        "A notification is kept once, in order, found by our name and Adyen's, and by another process",
        arguments: Kind.allCases)
    func notifications(_ kind: Kind) async throws {
        let place = Place(kind)
        let (store, other) = (
            KeptAdyenNotifications(
                JournalNotifications(store: try place.open(), provider: ProviderName(rawValue: "adyen"))),
            KeptAdyenNotifications(
                JournalNotifications(store: try place.open(), provider: ProviderName(rawValue: "adyen")))
        )
        func told(_ code: String, _ name: String, about: String? = nil, _ reference: String) throws -> AdyenNotification
        {
            let json = """
                {"eventCode":"\(code)","pspReference":"\(name)","originalReference":\(about.map { "\"\($0)\"" } ?? "null"),
                "merchantReference":"\(reference)","merchantAccountCode":"A","minor":1250,"currency":"EUR","success":true}
                """
            return try #require(AdyenNotification(kept: try JSONValue(parsing: Array(json.utf8))))
        }
        let authorized = try told("AUTHORISATION", "PSP1", "pay_1-a1")
        let captured = try told("CAPTURE", "PSP2", about: "PSP1", "pay_1-c1")
        let long = try told("REFUND", "PSP4", about: "PSP9", String(repeating: "r", count: 600))
        try await store.keep([authorized, authorized, try told("AUTHORISATION", "PSP9", "pay_9-a1")])
        try await other.keep([captured, authorized, long])
        #expect(try await store.named("pay_1-a1") == [authorized])
        #expect(try await other.about("PSP1") == [authorized, captured])
        #expect(try await store.about("PSP9").count == 2)
        #expect(try await store.about("PSP3").isEmpty)
    }
}
