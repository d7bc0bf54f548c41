import Testing
import TillClient
import TillCore
import TillTestSupport

@Suite("Orders of a counter's order book")
struct CounterOrderTests {
    private let clock = ManualClock()
    private let key = IdempotencyKey(rawValue: "k-1")
    private static let unpaid =
        #"{"status":"unpaid","paid":0,"reserved":0,"open":1250,"excess":0,"refunded":0}"#

    private func client(_ steps: ScriptedTransport.Step...) throws -> (CounterClient, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (try Given.client(transport, clock), transport)
    }

    /// An order as the counter writes it.
    private static func order(
        _ id: String = "o-1", money: String = CounterOrderTests.unpaid, payments: String = "[]"
    ) -> String {
        #"{"id":"\#(id)","account":"main","number":"1001","state":"open","version":1,"currency":"EUR","#
            + #""amount":1250,"tax":200,"lines":[{"name":"Tea","quantity":"2","amount":1050,"tax":200}],"#
            + #""handover":"none","wanted_at":null,"note":"Hot","metadata":{},"payment":\#(money),"#
            + #""payments":\#(payments)}"#
    }

    @Test("orders are listed a page at a time, and what cannot be read is counted")
    func lists() async throws {
        let page = #"{"orders":[\#(Self.order("2026/o-2")),\#(Self.order()),{"id":"o-0"}],"#
        let (client, transport) = try client(
            .json(200, page + #""unreadable":[{"id":null,"unreadable":true,"message":"No."}],"next":"2026/o-1"}"#),
            .json(200, #"{"orders":[],"next":null,"cursor":"1-1"}"#))
        let first = try await client.orders()
        #expect(first.orders.map(\.id.rawValue) == ["2026/o-2", "o-1"])
        #expect(first.unreadable == 2)
        let last = try await client.orders(in: nil, isPaid: false, before: first.next, limit: 50)
        #expect(last.orders.isEmpty)
        #expect(last.unreadable == 0)
        #expect(last.next == nil)
        #expect(
            transport.calls.map(\.line) == [
                "GET /v1/orders?limit=20&state=open", "GET /v1/orders?limit=50&paid=false&before=2026%2Fo-1",
            ])
    }

    @Test("a next page that cannot be read is not the end of the list")
    func nextPage() async throws {
        for next in ["7", "\"\"", "\"a b\""] {
            let (client, _) = try client(.json(200, #"{"orders":[],"next":\#(next)}"#))
            let reason = "its answer has no next page that can be read"
            await #expect(throws: CounterError.notAnswered(.listOrders, reason: reason)) { try await client.orders() }
        }
    }

    @Test("an order is read with its money and its payments")
    func reads() async throws {
        let money = #"{"status":"partly_paid","paid":500,"reserved":0,"open":750,"excess":0,"refunded":100}"#
        let payments = "[" + Given.payment { $0.order = "o-1~2" } + "]"
        let (client, transport) = try client(.json(200, Self.order("2026/o-1", money: money, payments: payments)))
        let order = try await client.order(Given.order)
        #expect(transport.calls.first?.line == "GET /v1/orders/o-1")
        #expect(order.id.rawValue == "2026/o-1")
        #expect(order.number == "1001")
        #expect(order.state == .open)
        #expect(order.note == "Hot")
        #expect(order.lines.map(\.name) == ["Tea"])
        #expect(order.amount == Given.amount)
        guard case .known(let balance) = order.money else {
            Issue.record("\(order.money)")
            return
        }
        #expect(balance.status == .partlyPaid)
        let sums = [balance.paid, balance.reserved, balance.open, balance.refunded]
        #expect(sums.map(\.minorUnits) == [500, 0, 750, 100])
        #expect(order.payments.map(\.id.rawValue) == ["pay_1"])
        #expect(order.payments.map(\.status) == [.known(.requiresPaymentMethod)])
    }

    @Test("an order with a payment that cannot be read has no sums, and is not unpaid")
    func unreadableMoney() async throws {
        let answer = Self.order(money: #"{"status":"unreadable","message":"Payment pay_1."}"#)
            .replacing(#","payments":[]"#, with: "")
        let (client, _) = try client(.json(200, answer))
        let order = try await client.order(Given.order)
        #expect(order.money == .unreadable)
        #expect(order.payments.isEmpty)
    }

    @Test(
        "an answer without what decides about money is no order",
        arguments: ["id", "account", "state", "currency", "amount", "payment", "paid", "reserved", "open", "refunded"])
    func missing(_ field: String) async throws {
        let answer = Self.order().replacing("\"\(field)\":", with: "\"other\":", maxReplacements: 1)
        let (client, _) = try client(.json(200, answer))
        do throws(CounterError) {
            _ = try await client.order(Given.order)
            Issue.record("It was read.")
        } catch {
            guard case .notAnswered(.readOrder, let reason) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(reason.contains(field))
            #expect(error.moneyMoved == .unknown)
        }
    }

    @Test("another order than the one asked for does not count")
    func mismatches() async throws {
        for id in ["o-2", "/o-1", "o-11"] {
            let (client, _) = try client(.json(200, Self.order(id)))
            let mismatch = CounterMismatch(operation: .readOrder, part: .order, asked: "o-1", answered: id)
            await #expect(throws: CounterError.mismatch(mismatch)) { try await client.order(Given.order) }
        }
    }

    @Test("an order is paid as a whole or in parts, each under its key")
    func pays() async throws {
        let part = Money(minorUnits: 500, currency: .eur)
        let (client, transport) = try client(
            .json(200, Self.order("2026/o-1")), .json(201, Given.payment { $0.order = "2026/o-1" }),
            .fail(.unknown(reason: "cut")),
            .json(201, Given.payment { ($0.order, $0.amount) = ("2026/o-1~2", 500) }))
        let order = try await client.order(Given.order)
        #expect(try await client.createPayment(of: order, key: key).amount == Given.amount)
        let next = IdempotencyKey(rawValue: "k-2")
        let second = try await client.createPayment(of: order, amount: part, captureMode: .manual, key: next)
        #expect(second.amount == part)
        let calls = transport.calls.dropFirst()
        #expect(Set(calls.map(\.line)) == ["POST /v1/orders/2026%2Fo-1/payments"])
        #expect(calls.map(\.key) == ["k-1", "k-2", "k-2"])
        #expect(calls.first?.body == #"{"capture":"automatic"}"#)
        #expect(calls.last?.body == #"{"amount":500,"capture":"manual"}"#)
    }

    @Test("a payment of another order, amount or currency is none that was created")
    func otherPayments() async throws {
        let cases: [(part: CounterMismatch.Part, answer: String)] = [
            (.order, Given.payment { $0.order = "o-2" }), (.order, Given.payment { $0.order = "o-1/o-1" }),
            (.currency, Given.payment { $0.currency = "USD" }),
        ]
        for one in cases {
            let (client, _) = try client(.json(200, Self.order()), .json(201, one.answer))
            let order = try await client.order(Given.order)
            do throws(CounterError) {
                _ = try await client.createPayment(of: order, key: key)
                Issue.record("It counted.")
            } catch {
                guard case .mismatch(let mismatch) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(mismatch.part == one.part)
            }
        }
        let (client, _) = try client(.json(200, Self.order()), .json(201, Given.payment()))
        let order = try await client.order(Given.order)
        let part = Money(minorUnits: 500, currency: .eur)
        let mismatch = CounterMismatch(
            operation: .createPayment, part: .amount, asked: "\(part)", answered: "\(Given.amount)")
        await #expect(throws: CounterError.mismatch(mismatch)) {
            try await client.createPayment(of: order, amount: part, key: key)
        }
    }

    @Test("a part in another currency is not sent")
    func otherCurrency() async throws {
        let (client, transport) = try client(.json(200, Self.order()))
        let order = try await client.order(Given.order)
        let error = CounterError.mismatch(
            CounterMismatch(operation: .createPayment, part: .currency, asked: "USD", answered: "EUR"))
        await #expect(throws: error) {
            try await client.createPayment(of: order, amount: Money(minorUnits: 500, currency: .usd), key: key)
        }
        #expect(error.moneyMoved == .no)
        #expect(transport.calls.count == 1)
    }
}
