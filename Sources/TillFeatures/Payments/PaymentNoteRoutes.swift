import HTTPTypes
import Hummingbird
import TillCheckout
import TillCore
import TillCounter
package import TillWeb

/// `POST /v1/payments/{id}/notes`: adds a note to a payment. `GET /v1/payments/{id}` has them.
package struct PaymentNoteRoutes: Sendable {
    private let requests: PaymentRequests
    private let notes: PaymentNotes

    package init(requests: PaymentRequests, notes: PaymentNotes) { (self.requests, self.notes) = (requests, notes) }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/payments/{id}/notes", for: .sell, of: .caller, maximumBodyBytes: PaymentNotes.maximumBodyBytes
        ) { try await add($0.parameters.identifier(), $0) }
    }

    private func add(_ id: PaymentID, _ incoming: Incoming) async throws -> Response {
        let key = try incoming.idempotencyKey()
        let body = try await incoming.document()
        try body.allow(["text"])
        let payment = try await requests.checkout.payment(id, account: incoming.account)
        let author = Attribution.current ?? Attribution(ofRequestBy: incoming.actor)
        let note = try await notes.add(try PaymentNoteRoutes.text(body), to: payment, key: key, by: author)
        var writer = JSONWriter(reserving: 512)
        note.write(into: &writer)
        return .json(writer.bytes, status: .created)
    }

    private static func text(_ body: JSONValue) throws -> String {
        guard let text = try body.text("text", atMost: PaymentNotes.maximumBytes) else {
            throw Problem.field("text", "It is missing.")
        }
        guard text.unicodeScalars.count <= PaymentNotes.maximumCharacters else {
            throw Problem.field("text", "It must have at most \(PaymentNotes.maximumCharacters) characters.")
        }
        // A mask may be longer than what it hides, by far less than this.
        let clean = DisplayText.clean(text, atMost: 2 * PaymentNotes.maximumCharacters)
        guard !clean.isEmpty else { throw Problem.field("text", "It is empty.") }
        return clean
    }
}
