import HTTPTypes
import Hummingbird
import TillCheckout
import TillContactless
import TillCore
import TillCounter
import TillTapToPay
package import TillWeb

/// The routes under `/v1/tap`: the virtual reader of a counter in sandbox mode.
package struct TapRoutes: Sendable {
    let taps: VirtualTapService?
    package let payments: PaymentRequests

    package init(taps: VirtualTapService?, payments: PaymentRequests) {
        self.taps = taps
        self.payments = payments
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/tap", for: .readers, of: .counter) { _ in overview() }
        router.post("/v1/tap/card", for: .readers, of: .counter) { try await act(isCard: true, $0) }
        router.post("/v1/tap/cancel", for: .readers, of: .counter) { try await act(isCard: false, $0) }
        router.get("/v1/tap/story", for: .readers, of: .counter, query: ["payment"]) { try await story($0) }
    }

    private func requireService() throws -> VirtualTapService {
        guard let taps else {
            throw Problem(
                .conflict, "no_virtual_reader", "Virtual cards are taken where the sandbox moves the money only.",
                next: "Start the counter with --provider sandbox.")
        }
        return taps
    }

    /// Returns the reader's availability and phase, and its virtual cards.
    private func overview() -> Response {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("available", taps != nil)
        writer.field("phase", taps?.status.phase.name)
        writer.field("pass", taps == nil ? nil : VirtualTapService.pass)
        writer.key("cards")
        writer.beginArray()
        for card in taps == nil ? [] : VirtualCard.all {
            writer.beginObject()
            writer.field("name", card.name)
            writer.field("label", TapRoutes.label(card))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private static func label(_ card: VirtualCard) -> String {
        let known = [
            "visa": "Visa", "mastercard": "Mastercard", "amex": "American Express", "interac": "Interac",
            "wallet": "Phone with a Visa and the loyalty pass", "expired": "Visa that is expired",
            "declined": "Visa that refuses", "blocked": "Visa that is blocked",
            "torn": "Mastercard, removed too soon",
            "lying": "Mastercard that contradicts itself", "forged": "Mastercard with a forged certificate",
            "garbage": "Card that answers nonsense", "endless": "Card that never ends",
            "silent": "Card that falls silent",
            "slow": "Visa that is slow", "collision": "Two cards at once", "locked": "Phone that is locked at first",
        ]
        return known[card.name] ?? card.name
    }

    private func sale(_ id: String?, _ incoming: Incoming) async throws -> VirtualTapService.Sale {
        guard let id else { throw Problem.field("payment", "It is missing.") }
        let name: PaymentID
        do { name = try PaymentID(validating: id) } catch { throw Problem.field("payment", error.description) }
        let payment = try await payments.checkout.payment(name, account: incoming.account)
        return VirtualTapService.Sale(account: payment.account, order: payment.order.id)
    }

    private func act(isCard: Bool, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(isCard ? ["payment", "card"] : ["payment"])
        let taps = try requireService()
        let sale = try await sale(try body.text("payment", atMost: 128), incoming)
        var writer = JSONWriter()
        writer.beginObject()
        if isCard {
            let name = try body.text("card", atMost: 64) ?? ""
            guard let card = VirtualCard.all.first(where: { $0.name == name }) else {
                throw Problem.field("card", "There is no such virtual card.")
            }
            try await taps.present(card, to: sale)
            writer.field("presented", card.name)
        } else {
            writer.field("canceled", try await taps.cancel(sale))
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Returns the reader's events in the sale of a payment: its steps, and the result of the pass.
    private func story(_ incoming: Incoming) async throws -> Response {
        let taps = try requireService()
        let sale = try await sale(try incoming.query("payment"), incoming)
        guard let story = await taps.story(of: sale) else {
            throw Problem(
                .notFound, "no_tap", "The reader has no record of this payment.", next: "Press Charge first.")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("waiting", story.isWaiting)
        writer.key("steps")
        writer.beginArray()
        for step in story.steps { writer.string(step.name) }
        writer.endArray()
        writer.key("loyalty")
        writer.beginArray()
        for entry in story.passes?.entries ?? [] {
            writer.beginObject()
            writer.field("pass", entry.id)
            writer.field("read", entry.status == .success)
            writer.field("message", story.visit.map { $0.text } ?? entry.status.sentence)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }
}
