import TillClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A customer's app that pays at a running counter without a key: `AppCheckout [--json] COMMAND`.
///
/// | command | does |
/// |---|---|
/// | `fields` | asks what the provider's SDK needs: a publishable key, a client token, a client id or a client key |
/// | `pay TOKEN [PRESS]` | pays with a reference of the provider's fields: Stripe's payment method, Braintree's nonce |
/// | `paypal [PRESS]` | pays with the customer's PayPal account |
/// | `paypal-card [PRESS]` | pays with a card that PayPal's SDK attaches to the counter's order |
/// | `adyen [PRESS]` | pays with a card that Adyen's SDK takes in the counter's session |
/// | `resume` | goes on with the press that an earlier life of the program has begun |
/// | `show`, `cancel`, `receipt` | show the payment, cancel it if it is unpaid, show its receipt |
///
/// The counter's address is in `TILL_COUNTER`. In `TILL_APP_SESSION` is what the shop's server was answered by
/// `POST /v1/payments/{id}/app_session`. `TILL_APP_STATE` names the file of the press that is under way, ``PressFile``;
/// without it the same command, started again, is the same press.
///
/// There is no SDK here. The program prints the page, the order or the session, and reads a line: Enter when the
/// customer came back from the page or the card is attached, or Adyen's `sessionResult`. The end of its input is a
/// customer who has left. A counter in the sandbox takes the tokens `pm_card_visa`, `pm_card_chargeDeclined` and
/// `pm_card_authenticationRequired`.
///
/// The program may be killed at any moment and started again. Its exit code is an ``Ending``.
@main
struct AppCheckout {
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let screen = Screen(isJSON: words.contains("--json"))
        words.removeAll { $0 == "--json" }
        let ending: Ending
        do throws(AppError) { ending = try await run(words, screen) } catch { ending = screen.report(error) }
        exit(ending.rawValue)
    }

    private static func run(_ words: [String], _ screen: Screen) async throws(AppError) -> Ending {
        let app = try app(screen)
        switch (words.first ?? "", words.count) {
        case ("fields", 1): return try await app.showFields()
        case ("pay", 2...3): return try await app.pay(.token(words[1]), press: try press(words.dropFirst(2)))
        case ("paypal", 1...2): return try await app.pay(.payPal, press: try press(words.dropFirst()))
        case ("paypal-card", 1...2): return try await app.pay(.payPalCard, press: try press(words.dropFirst()))
        case ("adyen", 1...2): return try await app.pay(.adyenSession, press: try press(words.dropFirst()))
        case ("resume", 1): return try await app.resume()
        case ("show", 1): return try await app.show()
        case ("cancel", 1): return try await app.cancel()
        case ("receipt", 1): return try await app.showReceipt()
        default:
            throw .usage(
                "AppCheckout [--json] fields | pay TOKEN [PRESS] | paypal [PRESS] | paypal-card [PRESS] | "
                    + "adyen [PRESS] | resume | show | cancel | receipt")
        }
    }

    private static func app(_ screen: Screen) throws(AppError) -> App {
        let file = variable("TILL_APP_STATE").map { PressFile(path: $0) }
        let kept = try file?.load()
        guard let text = variable("TILL_COUNTER"), let address = try? CounterAddress(text) else {
            throw .usage("TILL_COUNTER has no address of a counter.")
        }
        // An app that was ended has its session from the file.
        guard let document = variable("TILL_APP_SESSION") ?? kept?.session,
            let session = CounterCheckoutSession(document: Array(document.utf8))
        else { throw .usage("TILL_APP_SESSION has no answer to POST /v1/payments/{id}/app_session.") }
        return App(
            checkout: CounterCheckout(address: address, session: session), document: document, file: file, kept: kept,
            screen: screen)
    }

    /// Returns the number of a press; `nil` if none is given.
    private static func press(_ words: ArraySlice<String>) throws(AppError) -> Int? {
        guard let word = words.first else { return nil }
        guard let number = Int(word), Press.numbers.contains(number) else {
            throw .usage("A press is a number from 1 to \(Press.numbers.upperBound).")
        }
        return number
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The end of the program, as its exit code.
enum Ending: Int32 {
    /// The payment is paid, or what was asked for was shown.
    case done = 0
    /// The command was wrong, or the press cannot be kept. Nothing was sent.
    case notBegun = 1
    /// Nothing was charged.
    case notCharged = 2
    /// Nobody knows: run the program again with the same session and state, and pay in no other way.
    case notKnown = 3
}

/// An error that ends the program.
enum AppError: Error {
    case usage(String)
    /// The file of the press cannot be written.
    case notKept(String)
    /// The file of the press cannot be read: a press may be under way.
    case unreadable(String)
    /// Another press has no outcome yet.
    case underWay(Press)
    case counter(CounterCheckoutError)
}
