public import TillCore

/// Why a letter was not sent, or why nobody knows.
public enum SMTPError: ExplainedError, Hashable {
    /// The server cannot be reached, or ended the talk too early.
    case unreachable(host: String, reason: String)
    /// Its certificate is not to be trusted.
    case certificate(host: String)
    /// It offers no encryption, or there is none on a way that leaves this machine.
    case notEncrypted(host: String)
    /// It does not take the user and the password, or offers no way to sign in that is known.
    case signIn(host: String, reply: String)
    /// It does not want this letter. Another try may do if the first digit of its answer is 4.
    case refused(host: String, reply: String)
    /// It does not want this sender or this receiver, or the letter is too long.
    case letter(reason: String)
    /// The whole letter went to the server and its answer is missing.
    case mayHaveBeenSent(host: String, reason: String)

    /// A word for programs that stays the same in every release.
    public var code: String {
        switch self {
        case .unreachable: "mail_server_unreachable"
        case .certificate: "mail_server_not_trusted"
        case .notEncrypted: "mail_not_encrypted"
        case .signIn: "mail_sign_in_refused"
        case .refused: "mail_refused"
        case .letter: "mail_not_possible"
        case .mayHaveBeenSent: "mail_may_have_been_sent"
        }
    }

    /// What happened. It holds no address of a receiver and no password.
    public var what: String {
        switch self {
        case .unreachable(let host, let reason): "The receipt was not sent: the mail server \(host) \(reason)."
        case .certificate(let host): "The receipt was not sent: the certificate of \(host) is not to be trusted."
        case .notEncrypted(let host): "The receipt was not sent: there is no encryption on the way to \(host)."
        case .signIn(let host, let reply): "The receipt was not sent: \(host) does not take the sign-in (\(reply))."
        case .refused(let host, let reply): "The receipt was not sent: \(host) refused it (\(reply))."
        case .letter(let reason): "The receipt was not sent: \(reason)."
        case .mayHaveBeenSent(let host, let reason): "The receipt may have been sent: \(host) \(reason)."
        }
    }

    /// A letter moves nothing.
    public var moneyMoved: MoneyMoved { .no }

    /// What to do next.
    public var next: String {
        switch self {
        case .unreachable: "Check the mail server's settings, then send it again."
        case .certificate: "Check the mail server's name, or name its authority in smtp.authority_file."
        case .notEncrypted: "Use a mail server that offers STARTTLS or TLS; `none` is for one on this machine."
        case .signIn: "Check smtp.user and smtp.password."
        case .refused(_, let reply):
            reply.hasPrefix("4") ? "Send it again later." : "Check the address of the customer and of the shop."
        case .letter: "Correct that and send it again."
        case .mayHaveBeenSent: "Ask the customer whether it came before you send it again."
        }
    }
}
