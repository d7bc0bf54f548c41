import Synchronization
import TillApplePay
import TillCore

/// What is counted of Apple Pay, in the Prometheus text format. No label holds an identifier.
final class ApplePayFigures: Sendable {
    private struct State {
        var sessions: [String: Int] = [:]
        var tokens: [String: Int] = [:]
        var payments: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func session(_ outcome: String) { state.withLock { $0.sessions[outcome, default: 0] += 1 } }
    func token(_ outcome: String) { state.withLock { $0.tokens[outcome, default: 0] += 1 } }
    func payment(_ outcome: String) { state.withLock { $0.payments[outcome, default: 0] += 1 } }

    func text(daysLeft: [(kind: String, days: Int64)]) -> String {
        let state = state.withLock { $0 }
        var text = ""
        func series(_ name: String, _ help: String, _ label: String, _ values: [String: Int]) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) counter\n"
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                text += "\(name){\(label)=\"\(key)\"} \(value)\n"
            }
        }
        series("applepay_sessions_total", "Merchant sessions by outcome.", "outcome", state.sessions)
        series("applepay_tokens_total", "Tokens by outcome of their checks.", "outcome", state.tokens)
        series("applepay_payments_total", "Payments by what the sheet was told.", "outcome", state.payments)
        text += "# HELP applepay_certificate_days_left Days until a certificate ends; alert at 30 and at 7.\n"
        text += "# TYPE applepay_certificate_days_left gauge\n"
        for (kind, days) in daysLeft { text += "applepay_certificate_days_left{kind=\"\(kind)\"} \(days)\n" }
        return text
    }
}
