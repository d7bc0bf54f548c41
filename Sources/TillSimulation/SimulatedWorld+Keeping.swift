import TillCheckout
import TillCore

extension SimulatedWorld {
    /// Ships days later: the hold is renewed once the issuer no longer guarantees it, sometimes too early, at its
    /// expiry, twice, or racing a capture or a void.
    func keep(_ id: PaymentID, _ honorPeriod: Span) async {
        count("shipped later")
        if chance(200) {
            guard let payment = try? await engine().payment(id, account: .main) else { return }
            let part = Money(minorUnits: max(1, payment.amount.minorUnits / 4), currency: payment.currency)
            acknowledge(try? await engine().capture(id, account: .main, amount: part, isFinal: false))
        }
        let honored = honorPeriod.milliseconds
        switch number(0...19) {
        case 0:
            count("renewed too early")
            await pause(0...honored / 2)
        case 1:
            count("renewed at the end of the hold")
            await pause(600_000_000...608_000_000)
        default: await pause(honored - 1_800_000...honored + 150_000_000)
        }
        switch number(0...9) {
        case 0...1:
            count("two renewals at once")
            spawn { [self] in await renew(id) }
        case 2:
            count("capture racing a renewal")
            spawn { [self] in
                await pause(0...2000)
                acknowledge(try? await engine().capture(id, account: .main))
            }
        case 3:
            count("cancel racing a renewal")
            spawn { [self] in
                await pause(0...2000)
                acknowledge(try? await engine().cancel(id, account: .main))
            }
        default: break
        }
        await renew(id)
        guard chance(100) else { return }
        count("renewed again")
        await pause(honored...honored + 7_200_000)
        await renew(id)
    }

    /// Retries a renewal until it succeeds or is refused.
    private func renew(_ id: PaymentID) async {
        for _ in 0..<5 {
            do throws(CheckoutError) {
                acknowledge(try await engine().renew(id, account: .main))
                return
            } catch {
                if case .refused = error { return }
                await pause(2000...60_000)
            }
        }
    }
}
