import TillApplePay
import TillApplePayClient
import TillClient
import TillCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A customer's app that pays a basket with Apple Pay at a running counter: `ApplePaySale BASKET [METHOD [COUPON]]`.
///
/// The counter's address is in `TILL_COUNTER`. The shop's server has opened the basket and given its identifier to the
/// app, which holds no key. On a phone the sheet is `PassKitPaymentSheet` and the button `ApplePayButtonView` or
/// `PassKitPaymentButton`; here a simulated device authorizes, which only a counter in the sandbox takes. Its wallet
/// has a card, unless `TILL_WALLET` is `empty` (no card) or `none` (no wallet).
@main
struct ApplePaySale {
    enum Usage: Error { case arguments, environment }

    @MainActor static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard (1...3).contains(words.count) else { throw Usage.arguments }
        guard let variable = getenv("TILL_COUNTER") else { throw Usage.environment }
        let address = try CounterAddress(String(cString: variable))
        let counter = CounterApplePay(address: address)
        do throws(CounterApplePayError) {
            let sheet = try await counter.sheet(of: words[0])
            let device = SimulatedDevice(
                address, method: words.dropFirst().first, coupon: words.dropFirst(2).first,
                wallet: getenv("TILL_WALLET").map { String(cString: $0) })
            let service = ApplePayService(presenter: device, factory: sheet.factory)
            // What the button on the screen is; its press does the rest.
            switch ApplePayButton(.checkout, on: service.availability) {
            case .pay: say("button: check out")
            case .setUp:
                say("button: set up Apple Pay; not paid")
                exit(2)
            case .hidden:
                say("no button: this device cannot pay; not paid")
                exit(2)
            }
            let flow = PaymentFlowController(
                service: service, standard: NoOtherCheckout(), checkout: counter, backend: counter)
            try await pay(sheet.basket, with: flow)
        } catch {
            // The order of an app that was ended while it paid.
            if case .paid(let order) = error {
                say("paid before: \(order.id), \(order.amount)")
                return
            }
            say("\(error.moneyMoved == .no ? "not paid" : "not known") (\(error.code)): \(error)")
            exit(error.moneyMoved == .no ? 2 : 3)
        }
    }

    @MainActor private static func pay(
        _ basket: SheetBasket, with flow: PaymentFlowController
    ) async throws(CounterApplePayError) {
        do {
            switch try await flow.pay(basket, by: .applePay, onState: { say("step \($0.completedUnits) of 4") }) {
            case .placed(let order): say("paid: \(order.id), \(order.amount)")
            case .pending:
                say("not known yet: query the order, do not pay again")
                exit(3)
            case .idle, .preparing, .prepared, .submitting, .refused, .canceled:
                say("not paid")
                exit(2)
            }
        } catch let error as CounterApplePayError { throw error } catch {
            // The sheet was not shown.
            say("not paid: \(error)")
            exit(2)
        }
    }

    /// Prints a line at once, also into a pipe.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

/// The app's own checkout, which this program does not have.
@MainActor private final class NoOtherCheckout: StandardCheckout {
    func pay(_ basket: SheetBasket, _ details: CheckoutDetails) async throws -> WalletPaymentState { .canceled }
}
