import TillClient
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program's output: sentences, or one JSON object a line.
struct Screen: Sendable {
    let isJSON: Bool

    /// Prints a line at once, also into a pipe.
    func say(_ text: String, _ members: KeyValuePairs<String, JSONValue?>) {
        let object = members.compactMap { pair in pair.value.map { JSONMember(key: pair.key, value: $0) } }
        print(isJSON ? JSONValue.object(object).text : text)
        fflush(nil)
    }

    func show(_ payment: CounterCheckoutPayment) {
        say(
            "\(payment.id): \(payment.status), \(payment.amount), money moved: \(payment.moneyMoved.rawValue)",
            [
                "payment_id": .string(payment.id.rawValue), "order_number": .string(payment.orderNumber),
                "status": .string(Screen.word(payment.status)), "amount": .number("\(payment.amount.minorUnits)"),
                "currency": .string(payment.amount.currency.code), "money_moved": .string(payment.moneyMoved.rawValue),
                "attempts": .number("\(payment.attempts)"), "message": payment.message.map { .string($0) },
            ])
    }

    /// Prints the outcome of a press.
    func report(_ outcome: CounterCheckoutOutcome, of press: Press, _ ending: Ending) {
        let (name, text, code) = Screen.words(outcome)
        let moved = ending == .notKnown ? MoneyMoved.unknown : outcome.moneyMoved
        say(
            ending == .notKnown ? "\(text) \(outcome.next)" : text,
            [
                "outcome": .string(name), "payment_id": .string(press.payment.rawValue),
                "press": .number("\(press.number)"), "money_moved": .string(moved.rawValue),
                "message": .string(outcome.sentence), "code": code.map { .string($0) }, "next": .string(outcome.next),
            ])
    }

    private static func words(_ outcome: CounterCheckoutOutcome) -> (name: String, text: String, code: String?) {
        switch outcome {
        case .paid(let payment): ("paid", "paid: order \(payment.orderNumber), \(payment.amount)", nil)
        case .declined: ("declined", "declined: \(outcome.sentence)", nil)
        case .refused(let problem):
            ("refused", "refused (\(problem.code)): \(outcome.sentence)", problem.code.rawValue)
        case .over: ("over", "over: \(outcome.sentence)", nil)
        case .givenUp: ("given_up", "given up: \(outcome.sentence)", nil)
        case .unknown(let unknown):
            (
                "unknown", "not known: \(outcome.sentence)\(unknown.error.map { " " + $0.what } ?? "")",
                unknown.error?.code
            )
        }
    }

    private static func word(_ status: CounterCheckoutStatus) -> String {
        switch status {
        case .open: "open"
        case .declined: "declined"
        case .action: "action"
        case .pending: "pending"
        case .paid: "paid"
        case .refunded: "refunded"
        case .closed: "closed"
        case .other(let word): word
        }
    }

    /// Prints an error, and returns the end of the program that it is.
    func report(_ error: AppError) -> Ending {
        let (ending, code, text) = Screen.words(error)
        let word = ending == .notKnown ? "not known" : "refused"
        say("\(word) (\(code)): \(text)", ["error": .string(code), "message": .string(text)])
        return ending
    }

    private static func words(_ error: AppError) -> (ending: Ending, code: String, text: String) {
        switch error {
        case .usage(let text): (.notBegun, "usage", text)
        case .notKept(let text): (.notBegun, "not_kept", text + " Nothing was sent.")
        case .unreadable(let text): (.notKnown, "state_unreadable", text)
        case .underWay(let press):
            (
                .notKnown, "press_under_way",
                "Press \(press.number) of \(press.payment) (\(press.way.name)) has no outcome yet: resume it."
            )
        case .counter(let error):
            (error.moneyMoved == .no ? .notCharged : .notKnown, error.code, "\(error.what) \(error.next)")
        }
    }
}

/// The customer, who answers with a line.
enum Customer {
    /// Waits for a line; `nil` at the end of the input.
    static func line() async -> String? { await Task.detached { readLine() }.value }
}

/// Shows a page of a bank, or of PayPal, as its address; Enter stands for the return from there.
struct TerminalPresenter: ChallengePresenter {
    let screen: Screen

    func present(_ page: ChallengePage) async -> ChallengeEnd {
        screen.say("bank: \(page)", ["page": .string(page.address)])
        return await Customer.line() == nil ? .closed : .returned
    }
}
