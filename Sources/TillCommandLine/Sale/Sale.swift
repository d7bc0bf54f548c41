import ArgumentParser
import Foundation
import TillCards
import TillCheckout
import TillCore
import TillCounter
import TillHardware
import TillJournal
import TillOrders
import TillProvider
import TillReceipts

/// `till sale`: takes a payment for an order or an amount, and prints the receipt.
struct Sale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sale",
        abstract: "Takes a payment and prints its receipt.",
        discussion: """
            till sale --order order.json
            till sale --amount 12.50 --currency EUR --reader simulated --card declined:insufficient_funds
            till sale --amount 12.50 --currency EUR --card-number 4242424242424242 --expiry 12/30 --cvc 123
            till sale --amount 12.50 --currency EUR --cash --tendered 20.00
            till sale --amount 11.00 --currency EUR --discount 1.50 --reason "Last of its kind" --cash
            till sale --amount 12.50 --currency EUR --provider adyen --terminal V400m-123456789@192.168.1.20:8443
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var provider: ProviderOptions

    @Option(name: .long, help: "A WooCommerce order document; with --amount: the order's name.")
    var order: String?
    @Option(name: .long, parsing: .unconditional, help: "The amount, such as 12.50.")
    var amount: String?
    @Option(name: .long, help: "The currency, such as EUR.")
    var currency: String?
    @Option(name: .long, help: "What is sold, with --amount.")
    var description: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "What the customer saves beside --amount, which is charged as it is. It needs --reason.",
            valueName: "amount"))
    var discount: String?
    @Option(name: .long, help: "Why the discount is given.")
    var reason: String?
    @Option(name: .long, help: "automatic or manual.")
    var capture = "automatic"
    @Flag(name: .long, help: "Charge an order even if the shop says that it was paid, refunded or canceled.")
    var evenIfPaid = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The card reader: the label or id of a provider's reader, or connected, or simulated. Without one, and "
                + "without another way to pay: the connected reader, else the simulated one.", valueName: "name"))
    var reader: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The simulated card: visa, mastercard, amex, interac, eftpos, declined:<reason>, … and what happens at the "
                + "reader before: visa+misread, visa+check_phone, visa+update, …", valueName: "card"))
    var card: String?
    @Flag(name: .long, help: "The reader asks for a tip, if its configuration has tips.")
    var askTip = false
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("Ask for a tip that counts from this part of the amount only.", valueName: "amount"))
    var tipOn: String?
    @Option(name: .long, help: "A card number. On a real card use the page: other users can see a command line.")
    var cardNumber: String?
    @Option(name: .long, help: "The card's expiry, such as 12/30.")
    var expiry: String?
    @Option(name: .long, help: "The card's security code.")
    var cvc: String?
    @Option(name: .long, help: "The name on the card.")
    var cardholder: String?
    @Flag(name: .long, help: "Notes and coins.")
    var cash = false
    @Option(name: .long, parsing: .unconditional, help: "What the customer handed over in cash.")
    var tendered: String?
    @Option(name: .long, parsing: .unconditional, help: "What the customer leaves as a tip, in cash.")
    var tip: String?
    @OptionGroup var chosen: DrawerOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var copy: CopyOption
    @OptionGroup var customer: CustomerWait
    @Option(name: .long, help: "How wide the receipt is shown: 58, 80, or a number of columns.") var width = "80"
    @Option(name: .long, help: "Print the receipt when the payment is settled: a printer's name or address.")
    var print: String?

    func run() async throws {
        let named: Order
        let saved: Discount?
        do {
            named = try readOrder()
            saved = try readDiscount(beside: named.total)
        } catch let error as any ExplainedError {
            throw Output.fail(error, json: common.json)
        }
        if !common.json { for notice in named.notices { Output.note("Note: \(notice)") } }
        try await withCounter(common, provider, store.given) { counter in
            // A generated name is unique and needs no scope.
            let sold = order == nil ? named : try named.scoped(counter.options.orderScope)
            let mode = try captureMode()
            _ = try ReceiptForm(.text, width: width)
            let fleet = try fleet(counter)
            let name = cash ? ProviderName.cash : fleet?.provider ?? counter.options.provider
            try StandInRefusal.check(name, in: counter.mode)
            try counter.checkout.checkAmount(sold.total, provider: name)
            if let fleet { try check(sold, at: fleet) }
            let draft = counter.checkout.draft(
                account: counter.options.account, order: sold, captureMode: mode,
                acceptedBy: evenIfPaid ? "command line, user \(CommandUser.name)" : nil, discount: saved)
            let typed = try typedTender(sold)
            if let drawer = try chosen.name {
                try await KnownDrawers(counter.journal).check(drawer, of: counter.options.account)
            }
            if typed == nil, fleet == nil { try StandInRefusal.check(reader: reader ?? "simulated", in: counter.mode) }
            let tipping = try tipping(sold, at: fleet)
            if let fleet {
                let reader = try await reader(of: fleet, counter)
                let payment = try await counter.checkout.open(draft, whenOccupied: .replaceUnpaid).payment
                return try await finish(
                    try await collect(payment, at: reader, of: fleet, tipping, in: counter), counter)
            }
            let payment = try await counter.checkout.open(draft, whenOccupied: .replaceUnpaid).payment
            let tender: Tender
            if let typed { tender = typed } else { tender = try await readCard(for: payment) }
            if !common.json, !cash { Output.note("Asking \(name)…") }
            let done = try await Attribution.at(try chosen.name) {
                try await counter.checkout.confirm(
                    payment.id, account: counter.options.account, provider: name, tender: tender)
            }
            try await finish(try await customer.outcome(of: done, in: counter, json: common.json), counter)
        }
    }

    private func readOrder() throws -> Order {
        if let amount {
            guard let currency else {
                throw CommandError(code: "currency_missing", what: "--amount needs --currency.", next: "Add it.")
            }
            do {
                let money = try Money(parsing: amount, currency: Currency(code: currency))
                guard money.isPositive else {
                    throw CommandError(
                        code: "invalid_amount", what: "The amount must be more than zero; it is \(money).",
                        next: "Correct it and try again.")
                }
                let id = try order.map { try OrderID(selling: $0) } ?? OrderID(rawValue: Sale.newOrderName())
                return try Order(id: id, amount: money, description: description)
            } catch let error as any ExplainedError {
                throw error
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

    private func readDiscount(beside charged: Money) throws -> Discount? {
        guard let discount else {
            guard reason == nil else {
                throw CommandError(
                    code: "discount_missing", what: "--reason goes with --discount.", next: "Add it, or leave it out.")
            }
            return nil
        }
        guard amount != nil else { throw DiscountError.priceIsOrders }
        do {
            let saved = try Money(parsing: discount, currency: charged.currency)
            return try Discount(saved, reason: reason ?? "", beside: charged)
        } catch let error as any ExplainedError {
            throw error
        } catch {
            throw CommandError(code: "invalid_amount", what: "\(error)", next: "Correct it and try again.")
        }
    }

    private func captureMode() throws -> CaptureMode {
        guard let mode = CaptureMode(rawValue: capture) else {
            throw CommandError(
                code: "invalid_capture", what: "--capture is \(capture).", next: "It is automatic or manual.")
        }
        return mode
    }

    /// Returns the tender of the options; `nil` if a reader provides it.
    private func typedTender(_ order: Order) throws -> Tender? {
        guard [reader != nil || card != nil, cardNumber != nil, cash].filter({ $0 }).count <= 1 else {
            throw CommandError(
                code: "choose_a_tender", what: "More than one way to pay was chosen.",
                next: "Give one of --reader simulated, --card-number, --cash.")
        }
        guard cash || (tendered == nil && tip == nil) else {
            let option = tendered == nil ? "--tip" : "--tendered"
            throw CommandError(code: "choose_a_tender", what: "\(option) goes with --cash.", next: "Add --cash.")
        }
        guard try chosen.name == nil || cash else {
            throw CommandError(code: "choose_a_tender", what: "--drawer goes with --cash.", next: "Add --cash.")
        }
        do {
            if cash {
                let given = try tendered.map { try Money(parsing: $0, currency: order.total.currency) }
                let left = try tip.map { try Money(parsing: $0, currency: order.total.currency) }
                try CashDrawer.check(tendered: given, tip: left, due: order.total, captureMode: try captureMode())
                return .cash(tendered: given, tip: left)
            }
            if let cardNumber {
                guard let expiry else { throw PaymentCardError.expiry(.empty) }
                let card = try PaymentCard(
                    number: cardNumber, expiry: expiry, securityCode: cvc, holder: cardholder, now: SystemClock().now())
                return .card(card.details)
            }
            if let reader, reader != SimulatedCardReader.label { return nil }
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
        let isQuiet = common.json
        let reader = SimulatedCardReader(
            card: simulated, pace: .milliseconds(Output.isTerminal && !isQuiet ? 300 : 0))
        let parameters = PaymentIntentParameters(amount: payment.amount, order: payment.order.id)
        return .cardPresent(
            try await reader.collect(parameters) { event in
                if !isQuiet { Output.note("Reader: \(ReaderLine.text(event))") }
            })
    }

    /// Returns the signer of the receipt's URL. The sale is complete by now, so an unusable key costs only the URL.
    private func links(_ counter: Counter) -> ReceiptLink? {
        guard counter.options.receipts.url != nil else { return nil }
        do throws(ReceiptLinkError) { return try ReceiptLink(besideJournal: counter.journal.path) } catch {
            Output.note("The receipt has no address online. \(error.what) \(error.next)")
            return nil
        }
    }

    private func finish(_ payment: Payment, _ counter: Counter) async throws {
        let content = try counter.options.receipts.content(payment, copy: copy.copy, links: links(counter))
        let receipt = String(decoding: try ReceiptForm(.text, width: width).write(content).bytes, as: UTF8.self)
        if common.json {
            Output.line(PaymentLine.json(payment, receipt: receipt))
        } else if payment.hasNothingToShow {
            Output.note("till: \(PaymentJSON.message(of: payment))")
        } else {
            Output.line(receipt)
            if let sentence = content.missingFieldsSentence { Output.note("Note: \(sentence)") }
            if let change = payment.change, change.isPositive { Output.line("Change: \(change)") }
            // The receipt is for the customer; this line instructs the cashier.
            if payment.status != .succeeded { Output.note("till: \(PaymentJSON.message(of: payment))") }
            payment.customersWay.forEach { Output.note($0) }
        }
        if let print { await Sale.print(payment, on: print, copy.copy, counter) }
        try PaymentLine.exit(for: payment)
    }

    static func newOrderName() -> String {
        let id = PaymentID.make(
            at: SystemClock().now(), random: (.random(in: .min ... .max), .random(in: .min ... .max)))
        return OrderID.generatedPrefix + id.rawValue.dropFirst(4)
    }
}
