import HTTPTypes
import Hummingbird
import Testing
import TillCore
@testable import TillCounter
import TillJournal

@testable import TillServer
import TillWeb

@Suite("Notes on a payment")
struct PaymentNoteTests {
    private let counter: RoutedCounter
    private let payment: String

    init() async throws {
        counter = try await RoutedCounter()
        let made = try await counter.ask(
            "POST", "/v1/payments", headers: ["Idempotency-Key": "sale"],
            #"{"amount":100,"currency":"EUR","order_id":"1001"}"#)
        payment = try #require(try await RoutedCounter.document(made)["id"]?.stringValue)
    }

    private func add(
        _ text: String, key: String, to payment: String? = nil
    ) async throws -> (status: HTTPResponse.Status, body: JSONValue) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("text", text)
        writer.endObject()
        let response = try await counter.ask(
            "POST", "/v1/payments/\(payment ?? self.payment)/notes", headers: ["Idempotency-Key": key], writer.text)
        return (response.status, try await RoutedCounter.document(response))
    }

    private func kept() async throws -> [JSONValue] {
        let shown = try await RoutedCounter.document(try await counter.ask("GET", "/v1/payments/\(payment)"))
        return shown["notes"]?.arrayValue ?? []
    }

    @Test("are kept in order, with author and time, and once for each key")
    func order() async throws {
        let first = try await add("The first.", key: "n-1")
        #expect(first.status == .created && first.body["text"]?.stringValue == "The first.")
        #expect(try await add("The second.\n\tOn two lines.", key: "n-2").status == .created)
        let again = try await add("The first.", key: "n-1")
        #expect(again.status == .created && again.body["id"] == first.body["id"])
        let other = try await add("Another.", key: "n-1")
        #expect(other.status == .unprocessableContent)
        #expect(other.body["code"]?.stringValue == "idempotency_mismatch")
        let kept = try await kept()
        #expect(kept.map { $0["text"]?.stringValue } == ["The first.", "The second. On two lines."])
        for note in kept {
            #expect(note["by"]?["kind"]?.stringValue != nil && note["by"]?["address"] == nil)
            #expect(note["at"]?.stringValue != nil)
        }
        await counter.close()
    }

    @Test("have no card number, and at most a thousand characters")
    func text() async throws {
        #expect(try await add("Card 4242 4242 4242 4242, call back.", key: "n-1").status == .created)
        let words = try await kept().first?["text"]?.stringValue ?? ""
        #expect(words.hasPrefix("Card ") && words.hasSuffix("call back.") && !words.contains("4242 4242 4242"))
        #expect(try await add(String(repeating: "ä", count: 1_000), key: "n-2").status == .created)
        for wrong in [String(repeating: "a", count: 1_001), "", " \n ", String(repeating: "😀", count: 1_001)] {
            let refused = try await add(wrong, key: "n-3")
            #expect(refused.status == .unprocessableContent && refused.body["code"] != nil, "\(wrong.prefix(9))")
        }
        #expect(try await add("x", key: "n-4", to: "pay_1").status == .notFound)
        #expect(try await kept().count == 2)
        await counter.close()
    }

    @Test("are a hundred at most, each in the audit log without its text")
    func limit() async throws {
        for number in 0..<100 { #expect(try await add("Note \(number).", key: "n-\(number)").status == .created) }
        let refused = try await add("One more.", key: "n-100")
        #expect(refused.status == .conflict && refused.body["code"]?.stringValue == "too_many_notes")
        // What was added is answered as before.
        #expect(try await add("Note 7.", key: "n-7").status == .created)
        #expect(try await kept().count == 100)
        let log = try await RoutedCounter.document(try await counter.ask("GET", "/v1/audit?limit=200"))
        let text = log.text
        #expect(text.contains("payment.noted") && text.contains(payment) && !text.contains("Note 7."))
        await counter.close()
    }

    @Test("are a hundred at most, also when they come at the same moment")
    func together() async throws {
        let order = try Order(id: OrderID(rawValue: "1001"), amount: Money(minorUnits: 100, currency: .eur))
        let creation = PaymentEvent.Creation(
            payment: PaymentID(rawValue: "pay_1"), account: .main, order: order, captureMode: .automatic)
        let made = RecordedEvent(.created(creation), at: Timestamp(milliseconds: 1_795_253_405_000))
        let payment = try #require(Payment(folding: [made]))
        let notes = PaymentNotes(MemoryJournal(), clock: SystemClock())
        for number in 0..<90 {
            _ = try await notes.add("Before.", to: payment, key: "n-\(number)", by: Attribution(.owner))
        }
        let added = await withTaskGroup(of: Bool.self) { group in
            for number in 90..<120 {
                group.addTask {
                    let note = try? await notes.add("Now.", to: payment, key: "n-\(number)", by: Attribution(.owner))
                    return note != nil
                }
            }
            var added = 0
            for await isAdded in group where isAdded { added += 1 }
            return added
        }
        let kept = try await notes.notes(on: payment.id)
        #expect(added == 10 && kept.count == 100 && Set(kept.map(\.id)).count == 100)
        await counter.close()
    }
}
