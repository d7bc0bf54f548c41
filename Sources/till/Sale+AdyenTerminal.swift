import TillCore
import TillServer

extension Sale {
    /// The sale is made at a terminal of Adyen's: Adyen was chosen, there is a terminal, and no card was typed.
    func isAtAdyenTerminal(_ counter: Counter) -> Bool {
        counter.adyenTerminal != nil && counter.options.provider.rawValue == "adyen" && cardNumber == nil && !cash
    }

    /// Refuses what a terminal cannot do, before anything is written.
    func checkAdyenTerminal() throws {
        guard reader == nil, card == nil else {
            throw CommandError(
                code: "choose_a_tender", what: "More than one way to pay was chosen.",
                next: "Leave out --reader and --card: the customer pays at the terminal.")
        }
        guard capture == "automatic" else {
            throw CommandError(
                code: "unsupported", what: "A terminal takes the money at once.", next: "Leave out --capture manual.")
        }
    }
}
