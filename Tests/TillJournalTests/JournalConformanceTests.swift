import Synchronization
import Testing
import TillCore
import TillTestSupport
@testable import TillJournal

/// What every journal must do. Runs on each kind.
@Suite("Journals")
struct JournalConformanceTests {
    @Test("a payment is the fold of what was written", arguments: Site.Kind.allCases)
    func fold(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        var sale = try Sale(1)
        try await journal.write(sale.write())
        sale.pay()
        try await journal.write(sale.write())
        #expect(try await journal.payment(sale.payment.id) == sale.payment)
        #expect(try await journal.events(of: sale.payment.id).map(\.record) == sale.events)
        #expect(try await journal.events(of: sale.payment.id).map(\.version) == Array(1...5))
        #expect(try await journal.version(of: sale.payment.id) == 5 && sale.payment.version == 5)
        #expect(try await journal.version(of: PaymentID(rawValue: "pay_none")) == nil)
        #expect(try await journal.livePayment(account: .main, order: sale.payment.order.id) == sale.payment)
        #expect(try await journal.payments(PaymentFilter()) == [PaymentRow(sale.payment)])
        #expect(try await journal.payment(PaymentID(rawValue: "pay_none")) == nil)
        #expect(try await journal.livePayment(account: AccountID(rawValue: "b"), order: sale.payment.order.id) == nil)
        let report = try await site.verify(journal)
        #expect(report.problems == [])
        #expect(report.payments == 1 && report.events == 5 && report.orders == 1)
        #expect(report.balances == [.init(currency: .eur, captured: 1_250, refunded: 0)])
    }

    @Test(
        "a payment whose refund fails later is written, also if its order was sold again; a third has to wait for both",
        arguments: Site.Kind.allCases)
    func soldAgain(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        var first = try Sale(1, order: "o")
        first.pay()
        first.giveBack()
        try await journal.write(first.write())
        var second = try Sale(2, order: "o")
        second.pay()
        try await journal.write(second.write())
        first.add(.refundReversed(first.refund, Decline(reason: .generic)))
        try await journal.write(first.write())
        #expect(try await journal.payment(first.payment.id)?.isLive == true)
        #expect(try await journal.livePayment(account: .main, order: second.payment.order.id) == second.payment)
        func refused(by occupant: PaymentID) async throws {
            var third = try Sale(3, order: "o")
            let write = third.write()
            await #expect(throws: JournalError.orderOccupied(by: occupant)) { try await journal.write(write) }
        }
        try await refused(by: second.payment.id)
        #expect(try await site.verify(journal).problems == [])
        second.giveBack()
        try await journal.write(second.write())
        try await refused(by: first.payment.id)
        #expect(try await journal.livePayment(account: .main, order: second.payment.order.id) == first.payment)
        #expect(try await site.verify(journal).problems == [])
    }

    @Test("only one of two writers at the same version wins", arguments: Site.Kind.allCases)
    func version(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        var sale = try Sale(1)
        let creation = sale.write()
        await #expect(throws: JournalError.versionConflict(payment: sale.payment.id, current: 0)) {
            var late = sale
            late.begin()
            try await journal.write(late.write())
        }
        try await journal.write(creation)
        await #expect(throws: JournalError.versionConflict(payment: sale.payment.id, current: 1)) {
            try await journal.write(creation)
        }
        sale.begin()
        let attempt = sale.write()
        let wins = Shared(0)
        let id = sale.payment.id
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(JournalError) {
                        try await journal.write(attempt)
                        wins.value.withLock { $0 += 1 }
                    } catch {
                        #expect(error == .versionConflict(payment: id, current: 2))
                    }
                }
            }
        }
        #expect(wins.value.withLock { $0 } == 1)
        #expect(try await journal.payment(sale.payment.id) == sale.payment)
    }

    @Test("a write that contradicts itself is refused", arguments: Site.Kind.allCases)
    func contradiction(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        var sale = try Sale(1)
        var write = sale.write()
        write.append?.events = []
        await #expect(throws: JournalError.self) { try await journal.write(write) }
        #expect(try await journal.events(after: 0, account: nil, limit: 10).isEmpty)
    }

    @Test("an order has one live payment, and is free again after it", arguments: Site.Kind.allCases)
    func order(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        var first = try Sale(1, order: "o")
        var second = try Sale(2, order: "o")
        var other = try Sale(3, order: "o", account: AccountID(rawValue: "other"))
        try await journal.write(first.write())
        let creation = second.write(due: Sale.start)
        await #expect(throws: JournalError.orderOccupied(by: first.payment.id)) { try await journal.write(creation) }
        #expect(try await journal.payment(second.payment.id) == nil)
        #expect(try await journal.due(at: Sale.start, limit: 9).isEmpty)
        try await journal.write(other.write())
        first.add(.canceled)
        try await journal.write(first.write())
        try await journal.write(creation)
        #expect(try await journal.livePayment(account: .main, order: OrderID(rawValue: "o")) == second.payment)
    }

    @Test("a list is filtered and read by pages, newest first", arguments: Site.Kind.allCases)
    func lists(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        let other = AccountID(rawValue: "other")
        for number in 1...9 {
            var sale = try Sale(number, account: number == 5 ? other : .main)
            if number.isMultiple(of: 2) { sale.pay() }
            try await journal.write(sale.write())
        }
        let names = { (filter: PaymentFilter) in
            try await journal.payments(filter).map { Int($0.id.rawValue.suffix(1)) }
        }
        #expect(try await names(PaymentFilter(limit: 2)) == [9, 8])
        #expect(try await names(PaymentFilter(before: PaymentID(rawValue: "pay_100008"), limit: 2)) == [7, 6])
        #expect(try await names(PaymentFilter(account: other)) == [5])
        #expect(try await names(PaymentFilter(status: .succeeded)) == [8, 6, 4, 2])
        #expect(try await names(PaymentFilter(account: .main, order: OrderID(rawValue: "order-3"))) == [3])
        #expect(try await names(PaymentFilter(limit: -1)) == [9])
        let all = try await journal.events(after: 0, account: nil, limit: 500)
        #expect(all.map(\.sequence) == all.map(\.sequence).sorted())
        #expect(all.count == 9 + 4 * 4)
        #expect(try await journal.events(after: all[3].sequence, account: nil, limit: 2) == Array(all[4...5]))
        #expect(try await journal.events(after: 0, account: other, limit: 9).map(\.account) == [other])
        #expect(try await journal.events(after: .max, account: nil, limit: 9).isEmpty)
    }

    @Test("a list of an order has the payment that has it among those that had it", arguments: Site.Kind.allCases)
    func listOfAnOrder(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        let order = OrderID(rawValue: "o")
        for number in 1...5 {
            var sale = try Sale(number, order: number == 3 ? "other" : "o")
            try await journal.write(sale.write())
            guard number < 5 else { continue }
            sale.add(.canceled)
            try await journal.write(sale.write())
        }
        var late = try Sale(6, order: "o", account: AccountID(rawValue: "other"))
        try await journal.write(late.write())
        let names = { (filter: PaymentFilter) in
            try await journal.payments(filter).map { Int($0.id.rawValue.suffix(1)) }
        }
        #expect(try await names(PaymentFilter(account: .main, order: order)) == [5, 4, 2, 1])
        #expect(try await names(PaymentFilter(account: .main, order: order, limit: 2)) == [5, 4])
        let before = PaymentID(rawValue: "pay_100004")
        #expect(try await names(PaymentFilter(account: .main, order: order, before: before, limit: 1)) == [2])
        #expect(try await names(PaymentFilter(account: .main, order: order, status: .canceled)) == [4, 2, 1])
        #expect(try await names(PaymentFilter(account: late.payment.account, order: order)) == [6])
    }

    @Test("a list is filtered by who made the sale and by its shop", arguments: Site.Kind.allCases)
    func origins(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        let (other, shop) = (AccountID(rawValue: "other"), "shop_abcdefghijklmnopqrstuvwx")
        let (ada, ben) = (StaffID(rawValue: "stf_ada"), StaffID(rawValue: "stf_ben"))
        let actors: [Actor?] = [
            nil, .staff(ada, name: "Ada"), .staff(ben, name: "Ben"), .key(id: "stf_ada", label: nil), .owner,
        ]
        for number in 0..<20 {
            var sale = try Sale(
                number, account: number == 11 ? other : .main, by: actors[number % 5],
                shop: number % 4 == 0 ? shop : number % 4 == 1 ? String(repeating: "s", count: 65) : nil)
            try await journal.write(sale.write())
            // Whoever does something later has not made the sale.
            sale.pay()
            if number % 2 == 0 { try await journal.write(sale.write()) }
        }
        func names(_ change: (inout PaymentFilter) -> Void) async throws -> [Int] {
            var filter = PaymentFilter(account: .main, limit: 100)
            change(&filter)
            let rows = try await journal.payments(filter)
            #expect(try await journal.rowReadings(filter).map(\.id) == rows.map(\.id))
            return rows.compactMap { Int($0.id.rawValue.suffix(2)) }
        }
        #expect(try await names { $0.seller = ada } == [16, 6, 1])
        #expect(try await names { $0.seller = ben } == [17, 12, 7, 2])
        #expect(try await names { ($0.seller, $0.account) = (ada, other) } == [11])
        #expect(try await names { $0.shop = shop } == [16, 12, 8, 4, 0])
        #expect(try await names { $0.shop = String(repeating: "s", count: 65) } == [])
        #expect(try await names { ($0.seller, $0.shop) = (ada, shop) } == [16])
        #expect(try await names { ($0.seller, $0.status) = (ben, .succeeded) } == [12, 2])
        #expect(try await names { ($0.seller, $0.order) = (ben, OrderID(rawValue: "order-7")) } == [7])
        #expect(try await names { ($0.shop, $0.limit) = (shop, 2) } == [16, 12])
        #expect(
            try await names { ($0.shop, $0.before, $0.limit) = (shop, PaymentID(rawValue: "pay_100012"), 2) } == [8, 4])
        #expect(try await names { $0.seller = StaffID(rawValue: "1 OR 1=1") } == [])
        #expect(try await names { ($0.seller, $0.account) = (ada, nil) } == [16, 11, 6, 1])
    }

    @Test("what is due is found, earliest first, and a wake makes it earlier", arguments: Site.Kind.allCases)
    func due(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        let moments: [Int64] = [300, 100, 200]
        var sales: [Sale] = []
        for (index, moment) in moments.enumerated() {
            var sale = try Sale(index + 1)
            try await journal.write(sale.write(due: Timestamp(milliseconds: moment)))
            sales.append(sale)
        }
        let ids = sales.map(\.payment.id)
        #expect(try await journal.due(at: Timestamp(milliseconds: 99), limit: 9).isEmpty)
        #expect(try await journal.due(at: Timestamp(milliseconds: 200), limit: 9) == [ids[1], ids[2]])
        #expect(try await journal.due(at: Timestamp(milliseconds: 300), limit: 1) == [ids[1]])
        try await journal.write(JournalWrite(wake: (ids[0], Timestamp(milliseconds: 50))))
        try await journal.write(JournalWrite(wake: (ids[1], Timestamp(milliseconds: 900))))
        try await journal.write(JournalWrite(wake: (PaymentID(rawValue: "pay_none"), Timestamp(milliseconds: 1))))
        #expect(try await journal.due(at: Timestamp(milliseconds: 900), limit: 9) == [ids[0], ids[1], ids[2]])
        for index in sales.indices { try await journal.write(sales[index].write()) }
        #expect(try await journal.due(at: Timestamp(milliseconds: 900), limit: 9).isEmpty)
    }

    @Test(
        "what a living process holds is left alone, what a dead one held is due at once", arguments: Site.Kind.allCases)
    func holding(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        let far = Sale.start.adding(.days(1))
        var pending = try Sale(1)
        var idle = try Sale(2)
        try await one.write(pending.write(due: Sale.start, holder: .thisProcess))
        try await one.write(idle.write(holder: .thisProcess))
        #expect(try await one.due(at: far, limit: 9) == [pending.payment.id])
        #expect(try await two.due(at: far, limit: 9).isEmpty)
        try await site.end(one)
        #expect(
            Set(try await two.due(at: Timestamp(milliseconds: 0), limit: 9)) == [pending.payment.id, idle.payment.id])
        try await two.write(pending.write(due: far, holder: .thisProcess))
        try await two.write(idle.write())
        let three = try site.open()
        #expect(try await three.due(at: far, limit: 9).isEmpty)
        try await site.end(two)
        #expect(try await three.due(at: Sale.start, limit: 9) == [pending.payment.id])
    }

    @Test("a write beside somebody's work leaves the payment with him", arguments: Site.Kind.allCases)
    func holderUnchanged(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two, three) = (try site.open(), try site.open(), try site.open())
        var sale = try Sale(1)
        try await one.write(sale.write(due: Sale.start, holder: .thisProcess))
        try await two.write(sale.write(due: Sale.start, holder: .unchanged))
        #expect(try await two.due(at: Sale.start, limit: 9).isEmpty)
        #expect(try await one.due(at: Sale.start, limit: 9) == [sale.payment.id])
        try await site.end(one)
        // Its holder is dead, and the writer has not taken its place.
        try await two.write(sale.write(due: Sale.start, holder: .unchanged))
        #expect(try await three.due(at: Sale.start, limit: 9) == [sale.payment.id])
        var free = try Sale(2)
        try await two.write(free.write(due: Sale.start, holder: .unchanged))
        #expect(try await three.due(at: Sale.start, limit: 9).contains(free.payment.id))
    }

    @Test("what is due is read by pages, with its provider, whoever held it", arguments: Site.Kind.allCases)
    func duePages(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        var expected: [OutboxPlace] = []
        // Some that a process held when it died, half of them without a moment; some of this process, some of nobody.
        for number in 1...24 {
            var sale = try Sale(number)
            if number.isMultiple(of: 2) { sale.begin() }
            let due = number % 4 == 1 ? nil : Sale.start.adding(.milliseconds(Int64(number % 5)))
            let dies = number % 4 < 2
            if due == nil, !dies { continue }
            try await (dies ? one : two).write(
                sale.write(due: due, holder: dies || number % 4 == 2 ? .thisProcess : .nobody))
            expected.append(OutboxPlace(moment: due, payment: sale.payment.id))
        }
        try await site.end(one)
        for limit in [1, 2, 5, 24, 100] {
            var found: [DuePayment] = []
            while true {
                let page = try await two.due(at: Sale.start.adding(.days(1)), after: found.last?.place, limit: limit)
                found += page
                if page.count < limit { break }
            }
            #expect(found.map(\.place) == expected.sorted(), "\(limit)")
            for due in found {
                let number = try #require(Int(due.payment.rawValue.suffix(2)))
                #expect(due.provider == (number.isMultiple(of: 2) ? .sandbox : nil))
            }
        }
    }

    @Test("a request in flight keeps its key while its process lives", arguments: Site.Kind.allCases)
    func idempotency(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        var record = Self.record("k", at: site.clock.now())
        var first = try Sale(1)
        record.state = .inFlight(payment: first.payment.id, operation: "sale")
        try await one.write(JournalWrite(append: first.append(), idempotency: record))
        var held = record
        held.isHeldByLivingProcess = true
        #expect(try await two.idempotency(record.scope) == held)
        var second = try Sale(2)
        let creation = second.append()
        for journal in [one, two] {
            await #expect(throws: JournalError.idempotencyExists(held)) {
                try await journal.write(JournalWrite(append: creation, idempotency: record))
            }
        }
        #expect(try await one.payment(second.payment.id) == nil)
        try await site.end(one)
        #expect(try await two.idempotency(record.scope) == record)
        var stranger = record
        stranger.fingerprint = [9]
        await #expect(throws: JournalError.idempotencyExists(record)) {
            try await two.write(JournalWrite(idempotency: stranger))
        }
        try await two.write(JournalWrite(append: creation, idempotency: record))
        record.state = .finished(status: 201, body: Array("{}".utf8), payment: first.payment.id)
        try await two.write(JournalWrite(idempotency: record))
        #expect(try await two.idempotency(record.scope) == record)
        var again = record
        again.state = .inFlight(payment: nil, operation: nil)
        await #expect(throws: JournalError.idempotencyExists(record)) {
            try await two.write(JournalWrite(idempotency: again))
        }
    }

    @Test("an answer that comes with a new payment never takes the place of another", arguments: Site.Kind.allCases)
    func answeredCreation(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        var record = Self.record("k", at: site.clock.now())
        var first = try Sale(1)
        record.state = .finished(status: 201, body: Array("{}".utf8), payment: first.payment.id)
        try await one.write(JournalWrite(append: first.append(), idempotency: record))
        var second = try Sale(2)
        let creation = second.append()
        var other = record
        other.state = .finished(status: 201, body: Array("{}".utf8), payment: second.payment.id)
        for fingerprint in [record.fingerprint, [9]] {
            other.fingerprint = fingerprint
            for journal in [one, two] {
                await #expect(throws: JournalError.idempotencyExists(record)) {
                    try await journal.write(JournalWrite(append: creation, idempotency: other))
                }
            }
        }
        #expect(try await one.payment(second.payment.id) == nil)
        #expect(try await two.idempotency(record.scope) == record)
    }

    @Test("an answer that comes with an attempt never takes the place of another", arguments: Site.Kind.allCases)
    func answeredAttempt(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let (one, two) = (try site.open(), try site.open())
        var sale = try Sale(1)
        try await one.write(sale.write())
        var record = Self.record("k", at: site.clock.now())
        record.state = .inFlight(payment: sale.payment.id, operation: "sale")
        try await one.write(JournalWrite(idempotency: record))
        var held = record
        held.isHeldByLivingProcess = true
        var answer = record
        answer.state = .finished(status: 200, body: Array("{}".utf8), payment: sale.payment.id)
        sale.pay()
        let paid = JournalWrite(append: sale.append(), idempotency: answer)
        await #expect(throws: JournalError.idempotencyExists(held)) { try await two.write(paid) }
        #expect(try await two.version(of: sale.payment.id) == 1)
        try await site.end(one)
        try await two.write(paid)
        #expect(try await two.idempotency(record.scope) == answer)
        #expect(try await two.version(of: sale.payment.id) == sale.payment.version)
        await #expect(throws: JournalError.idempotencyExists(answer)) { try await two.write(paid) }
    }

    @Test("a key is free again after its time", arguments: Site.Kind.allCases)
    func expiry(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        var record = Self.record("k", at: site.clock.now())
        record.state = .finished(status: 200, body: [], payment: nil)
        try await journal.write(JournalWrite(idempotency: record))
        site.clock.advance(by: JournalLimits.idempotencyRetention)
        #expect(try await journal.idempotency(record.scope) == record)
        site.clock.advance(by: .milliseconds(1))
        #expect(try await journal.idempotency(record.scope) == nil)
        var new = Self.record("k", at: site.clock.now())
        try await journal.write(JournalWrite(idempotency: new))
        new.isHeldByLivingProcess = true
        #expect(try await journal.idempotency(record.scope) == new)
    }

    @Test("a webhook is taken once, together with what it says or not at all", arguments: Site.Kind.allCases)
    func webhook(_ kind: Site.Kind) async throws {
        let journal = try Site(kind).open()
        let receipt = WebhookReceipt(provider: .sandbox, id: "evt_1", at: Sale.start)
        var sale = try Sale(1)
        let creation = sale.append()
        sale.begin()
        let early = sale.append()
        await #expect(throws: JournalError.versionConflict(payment: sale.payment.id, current: 0)) {
            try await journal.write(JournalWrite(append: early, webhook: receipt))
        }
        try await journal.write(JournalWrite(append: creation, webhook: receipt))
        await #expect(throws: JournalError.webhookSeen) {
            try await journal.write(JournalWrite(append: early, webhook: receipt))
        }
        try await journal.write(
            JournalWrite(webhook: WebhookReceipt(provider: .cash, id: "evt_1", at: Sale.start)))
        for seen in [receipt, WebhookReceipt(provider: .cash, id: "evt_1", at: Sale.start)] {
            await #expect(throws: JournalError.webhookSeen) { try await journal.write(JournalWrite(webhook: seen)) }
            let woken = JournalWrite(webhook: seen, wake: (creation.payment.id, Sale.start))
            await #expect(throws: JournalError.webhookSeen) { try await journal.write(woken) }
        }
        #expect(try await journal.payment(sale.payment.id)?.version == 1)
    }

    @Test("the observer hears of each event once, in order, before the write returns", arguments: Site.Kind.allCases)
    func observer(_ kind: Site.Kind) async throws {
        let heard = Shared<[StoredEvent]>([])
        let site = Site(kind)
        let journal = try site.open { events in heard.value.withLock { $0 += events } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    var sale = try Sale(number)
                    sale.pay()
                    let id = sale.payment.id
                    try await journal.write(sale.write())
                    let isHeard = heard.value.withLock { $0.contains { $0.payment == id } }
                    #expect(isHeard)
                }
            }
            try await group.waitForAll()
        }
        let stored = try await journal.events(after: 0, account: nil, limit: 500)
        #expect(heard.value.withLock { $0.count } == 1_000)
        #expect(heard.value.withLock { Array($0.prefix(500)) } == stored)
        #expect(try await site.verify(journal).isSound)
    }

    @Test("a closed journal says so", arguments: Site.Kind.allCases)
    func closed(_ kind: Site.Kind) async throws {
        let site = Site(kind)
        let journal = try site.open()
        var sale = try Sale(1)
        let write = sale.write()
        try await site.end(journal)
        await #expect(throws: JournalError.closed) { try await journal.write(write) }
        await #expect(throws: JournalError.closed) { try await journal.payment(sale.payment.id) }
    }

    private static func record(_ key: String, at moment: Timestamp) -> IdempotencyRecord {
        IdempotencyRecord(
            scope: IdempotencyScope(account: .main, operation: "payments.create", key: key), fingerprint: [1, 2, 3],
            request: Array("{\"a\":1}".utf8), createdAt: moment, state: .inFlight(payment: nil, operation: nil))
    }
}
