import ArgumentParser
import TillCheckout
import TillCore
import TillCounter
import TillJournal
import TillReceipts

extension Receipts {
    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Makes an address under which a customer reads the receipt for a time.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var store: StoreOptions
        @Argument(help: "The payment.") var payment: String
        @Option(name: .long, help: "Where the counter is seen from outside; by default what receipt_url says.")
        var base: String?
        @Option(name: .long, help: "How many days it is valid, 1 to 730.") var days: Int64 = 90

        func run() async throws {
            var given = store.given
            if let base { given[.receiptURL] = base }
            try await withCounter(common, provider, given) { counter in
                guard (1...730).contains(days) else {
                    throw CommandError(code: "invalid_days", what: "--days is \(days).", next: "Use 1 to 730.")
                }
                let found = try await counter.checkout.payment(
                    PaymentID(rawValue: payment), account: counter.options.account)
                let path = try ReceiptLink(besideJournal: counter.journal.path)
                    .path(found.id, expires: counter.clock.now().adding(.days(days)))
                let url =
                    (counter.options.receipts.url
                        ?? ListenAddress.standard.url(isSecure: false, port: ListenAddress.standard.port)) + path
                Output.line(common.json ? JSONValue.object([JSONMember(key: "url", value: .string(url))]).text : url)
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send",
            abstract: "Sends the receipt of a payment by e-mail.",
            discussion: """
                The mail server is set with smtp.host, smtp.from, smtp.user and smtp.password_file. The address is kept
                nowhere: the journal has it masked. Exit code 1 if the receipt was not sent, 3 if it may have been sent.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var store: StoreOptions
        @OptionGroup var part: PartOptions
        @Argument(help: "The payment.") var payment: String
        @Option(name: .long, help: ArgumentHelp("The customer's address.", valueName: "address")) var to: String

        func run() async throws {
            try await withCounter(common, provider, store.given) { counter in
                guard let address = EmailAddress(to) else { throw ReceiptPostError.address }
                let post = try ReceiptPost(
                    journal: counter.journal, setup: counter.options.receipts, clock: counter.clock)
                let content = try await part.content(payment, counter)
                if let sentence = content.missingFieldsSentence { Output.note("Note: \(sentence)") }
                let mail = try await post.send(content, to: address)
                Output.line(common.json ? Receipts.value(mail).text : mail.note)
                switch mail.state {
                case .sent: return
                case .failed: throw ExitCode(1)
                case .sending, .mayHaveBeenSent: throw ExitCode(3)
                }
            }
        }
    }

    struct Sent: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sent",
            abstract: "Lists where the receipt of a payment was sent, with addresses masked.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "The payment.") var payment: String

        func run() async throws {
            try await withCounter(common, provider, creates: false) { counter in
                let mails = try await ReceiptMails(counter.journal).mails(of: PaymentID(rawValue: payment))
                if common.json {
                    let all = JSONValue.array(mails.map { Receipts.value($0) })
                    return Output.line(JSONValue.object([JSONMember(key: "mails", value: all)]).text)
                }
                if mails.isEmpty { return Output.line("This receipt was sent to nobody.") }
                for mail in mails {
                    Output.line("\(mail.createdAt)  \(mail.to)  \(mail.state.rawValue)")
                    if mail.state != .sent { Output.line(Output.wrapped("  " + mail.note, to: 80)) }
                }
            }
        }
    }

    private static func value(_ mail: ReceiptMail) -> JSONValue {
        .object([
            JSONMember(key: "id", value: .string(mail.id)),
            JSONMember(key: "payment_id", value: .string(mail.payment.rawValue)),
            JSONMember(key: "to", value: .string(mail.to)),
            JSONMember(key: "state", value: .string(mail.state.rawValue)),
            JSONMember(key: "message", value: .string(mail.note)),
        ])
    }
}
