import TillClient
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A customer's app that pays at a running counter without a key: `AppCheckout pay TOKEN [PRESS]`, `verify NONCE`,
/// `show`, `cancel` or `receipt`.
///
/// The counter's address is in `TILL_COUNTER`. In `TILL_APP_SESSION` is what the shop's server was answered by
/// `POST /v1/payments/{id}/app_session`. The token comes from the provider's own card fields; a counter in the sandbox
/// takes `pm_card_visa`, `pm_card_chargeDeclined` and `pm_card_authenticationRequired`. The program may be killed at
/// any moment and started again.
@main
struct AppCheckout {
    enum Usage: Error { case arguments, environment }

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let address = variable("TILL_COUNTER"), let document = variable("TILL_APP_SESSION"),
            let session = CounterCheckoutSession(document: Array(document.utf8))
        else { throw Usage.environment }
        let checkout = CounterCheckout(address: try CounterAddress(address), session: session)
        do throws(CounterCheckoutError) {
            switch (words.first, words.count) {
            case ("pay", 2...3):
                guard let press = words.count == 3 ? Int(words[2]) : 1 else { break }
                return report(
                    await checkout.pay(.token(Secret(words[1])), press: press, presenter: TerminalPresenter()))
            case ("verify", 2): return report(try await verified(Secret(words[1]), at: checkout))
            case ("show", 1): return show(try await checkout.payment())
            case ("cancel", 1): return show(try await checkout.cancel())
            case ("receipt", 1): return say(String(decoding: try await checkout.receipt(), as: UTF8.self))
            default: break
            }
        } catch {
            say("not known (\(error.code)): \(error.what) \(error.next)")
            exit(3)
        }
        throw Usage.arguments
    }

    /// Pays with a nonce of Braintree's fields, after the card's bank was asked where the counter wants that.
    private static func verified(
        _ nonce: Secret<String>, at checkout: CounterCheckout
    ) async throws(CounterCheckoutError) -> CounterCheckoutOutcome {
        let fields = try await checkout.cardFields()
        let presenter = TerminalPresenter()
        switch await checkout.verify(nonce, of: fields, presenter: presenter) {
        case .reference(let reference): return await checkout.pay(.token(reference), presenter: presenter)
        case .closed, .notShown:
            say("The bank was not asked. Nothing was charged.")
            exit(2)
        }
    }

    private static func show(_ payment: CounterCheckoutPayment) {
        say("\(payment.id): \(payment.status), \(payment.amount), money moved: \(payment.moneyMoved.rawValue)")
    }

    /// Prints an outcome. 2: nothing was charged; 3: ask again with the same session.
    private static func report(_ outcome: CounterCheckoutOutcome) {
        switch outcome {
        case .paid(let payment): return say("paid: order \(payment.orderNumber), \(payment.amount)")
        case .declined: say("declined: \(outcome.sentence)")
        case .refused(let problem): say("refused (\(problem.code)): \(outcome.sentence)")
        case .over: say("over: \(outcome.sentence)")
        case .givenUp: say("given up: \(outcome.sentence) \(outcome.next)")
        case .unknown(let unknown):
            say("not known: \(outcome.sentence) \(unknown.error.map(\.what) ?? "") \(outcome.next)")
        }
        exit(outcome.moneyMoved == .no ? 2 : 3)
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Prints a line at once, also into a pipe.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

/// Shows a bank's page as its address; the customer presses Enter when he comes back from there.
struct TerminalPresenter: ChallengePresenter {
    func present(_ page: ChallengePage) async -> ChallengeEnd {
        AppCheckout.say("bank: \(page)")
        return await Task.detached { readLine() == nil ? .closed : .returned }.value
    }

    /// Stands for Braintree's SDK: the customer enters the nonce that it returned.
    func verify(
        _ nonce: Secret<String>, clientToken: Secret<String>, _ verification: CardVerification
    ) async -> CardVerificationEnd {
        AppCheckout.say("ask the bank about \(verification.amount), and enter the nonce with its answer")
        let answer = await Task.detached { readLine() }.value
        guard let answer, !answer.isEmpty else { return .closed }
        return .reference(Secret(answer))
    }
}
