import ArgumentParser
import Foundation
import TillCards
import TillCheckout
import TillCore
import TillHardware
import TillReceipts
import TillServer

/// `till sale`: an order or an amount in, a receipt out.
struct Sale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes a payment and prints its receipt.",
        discussion: """
            till sale --order order.json --reader simulated
            till sale --amount 12.50 --currency EUR --reader simulated --card declined:insufficient_funds
            till sale --amount 12.50 --currency EUR --card-number 4242424242424242 --expiry 12/30 --cvc 123
            till sale --amount 12.50 --currency EUR --cash --tendered 20.00
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    @Option(name: .long, help: "A WooCommerce order document; with --amount: the order's name.")
    var order: String?
    @Option(name: .long, help: "The amount, as 12.50.")
    var amount: String?
    @Option(name: .long, help: "The currency, as EUR.")
    var currency: String?
    @Option(name: .long, help: "What is sold, with --amount.")
    var description: String?
    @Option(name: .long, help: "automatic or manual.")
    var capture = "automatic"

    @Option(name: .long, help: "The card reader: simulated.")
    var reader: String?
    @Option(name: .long, help: "The simulated card: visa, mastercard, amex, interac, eftpos, declined:<reason>, …")
    var card: String?
    @Option(name: .long, help: "A card number. On a real card use the page: other users can see a command line.")
    var cardNumber: String?
    @Option(name: .long, help: "The card's expiry, as 12/30.")
    var expiry: String?
    @Option(name: .long, help: "The card's security code.")
    var cvc: String?
    @Option(name: .long, help: "The name on the card.")
    var cardholder: String?
    @Flag(name: .long, help: "Notes and coins.")
    var cash = false
    @Option(name: .long, help: "What the customer handed over in cash.")
    var tendered: String?
    @Option(name: .long, help: "The shop's name on the receipt.")
    var store = "Till"

    func run() async throws {
        let sold: Order
        do {
            sold = try readOrder()
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
        if !common.json { for notice in sold.notices { Output.note("Note: \(notice)") } }
        try await withCounter(common, provider) { counter in
            let mode = try captureMode()
            let name = cash ? ProviderName.cash : provider.name
            try checkBeforeWriting(sold, name: name, counter)
            let draft = counter.checkout.draft(account: common.accountID, order: sold, captureMode: mode)
            let typed = try typedTender(sold)
            let payment = try await open(draft, in: counter)
            let tender: Tender
            if let typed {
                tender = typed
            } else {
                tender = try await readCard(for: payment)
            }
            if !common.json { Output.note("Asking \(name)…") }
            let done = try await counter.checkout.confirm(
                payment.id, account: common.accountID, provider: name, tender: tender)
            try finish(done, isManual: mode == .manual)
        }
    }

    /// Takes the order's open payment if it has one that nobody has paid, else begins one.
    private func open(_ draft: PaymentDraft, in counter: Counter) async throws -> Payment {
        let refusal: CheckoutError
        do {
            return try await counter.checkout.create(draft)
        } catch {
            refusal = error
        }
        guard case .orderOccupied(_, let id, let status) = refusal,
            status == .requiresPaymentMethod || status == .declined
        else { throw refusal }
        let open = try await counter.checkout.payment(id, account: common.accountID)
        if open.amount == draft.payment.amount, open.captureMode == draft.payment.captureMode { return open }
        _ = try await counter.checkout.cancel(id, account: common.accountID, reason: "replaced")
        return try await counter.checkout.create(draft)
    }

    private func readOrder() throws -> Order {
        if let amount {
            guard let currency else {
                throw CommandError(code: "currency_missing", what: "--amount needs --currency.", next: "Add it.")
            }
            do {
                let money = try Money(parsing: amount, currency: Currency(code: currency))
                let id = try order.map { try OrderID(validating: $0) } ?? OrderID(rawValue: Sale.newOrderName())
                return try Order(id: id, amount: money, description: description)
            } catch {
                throw CommandError(code: "invalid_amount", what: "\(error)", next: "Correct it and try again.")
            }
        }
        guard let path = order else {
            throw CommandError(
                code: "nothing_to_sell", what: "Nothing was given to sell.",
                next: "Give --order FILE, or --amount and --currency.")
        }
        do {
            return try Order(document: OrderFile.read(path))
        } catch let error as any ExplainedError {
            throw error
        } catch {
            throw CommandError(
                code: "invalid_order", what: "\(path): \(error)", next: "Correct the order and try again.")
        }
    }

    private func captureMode() throws -> CaptureMode {
        guard let mode = CaptureMode(rawValue: capture) else {
            throw CommandError(
                code: "invalid_capture", what: "--capture is \(capture).", next: "It is automatic or manual.")
        }
        return mode
    }

    /// Refuses what the provider can not take before anything is written.
    private func checkBeforeWriting(_ order: Order, name: ProviderName, _ counter: Counter) throws {
        try counter.checkout.checkAmount(order.total, provider: name)
    }

    /// The tender as typed; `nil`: a reader will bring it.
    private func typedTender(_ order: Order) throws -> Tender? {
        let kinds = [reader != nil || card != nil, cardNumber != nil, cash].filter { $0 }.count
        guard kinds == 1 else {
            throw CommandError(
                code: "choose_a_tender",
                what: kinds == 0 ? "No way to pay was chosen." : "More than one way to pay was chosen.",
                next: "Give one of --reader simulated, --card-number, --cash.")
        }
        do {
            if cash {
                return .cash(tendered: try tendered.map { try Money(parsing: $0, currency: order.total.currency) })
            }
            if let cardNumber {
                guard let expiry else { throw CardDetailsError.expiry }
                let card = try PaymentCard(
                    number: cardNumber, expiry: expiry, securityCode: cvc, holder: cardholder, now: SystemClock().now())
                return .card(card.details)
            }
            guard (reader ?? "simulated") == "simulated" else {
                throw CommandError(
                    code: "unknown_reader", what: "There is no reader \(reader ?? "").", next: "Use --reader simulated."
                )
            }
            _ = try SimulatedCard(parsing: card ?? "visa")
            return nil
        } catch let error as any ExplainedError {
            throw error
        } catch {
            throw CommandError(code: "invalid_tender", what: "\(error)", next: "Correct it and try again.")
        }
    }

    private func readCard(for payment: Payment) async throws -> Tender {
        let simulated = try SimulatedCard(parsing: card ?? "visa")
        let reader = await SimulatedCardReader.connected(
            card: simulated, pace: .milliseconds(Output.isTerminal && !common.json ? 300 : 0))
        let events = await reader.readerEvents()
        let isQuiet = common.json
        let printer = Task {
            for await event in events where !isQuiet { Output.note("Reader: \(event.message ?? event.type.rawValue)") }
        }
        defer { printer.cancel() }
        let payload = try await reader.collectPaymentMethod(
            PaymentIntentParameters(amount: payment.amount, order: payment.order.id))
        return .cardPresent(payload)
    }

    private func finish(_ payment: Payment, isManual: Bool) throws {
        let content = ReceiptContent(payment: payment, store: StoreDetails(name: store))
        if common.json {
            Output.line(PaymentLine.json(payment, receipt: ReceiptRenderer.text(content)))
        } else {
            Output.line(ReceiptRenderer.text(content))
            if let tendered, let paid = try? Money(parsing: tendered, currency: payment.currency),
                let change = try? paid.subtracting(payment.amount), change.isPositive
            {
                Output.line("Change: \(change)")
            }
        }
        try PaymentLine.exit(for: payment)
    }

    private static func newOrderName() -> String {
        let id = PaymentID.make(
            at: SystemClock().now(), random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        return "sale-" + id.rawValue.dropFirst(4)
    }
}
