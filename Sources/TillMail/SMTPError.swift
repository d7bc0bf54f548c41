public import TillCore

/// A reason that a message was not sent, or that its delivery is unknown. Only ``mayHaveBeenSent(host:reason:)`` is
/// uncertain: after every other case the message can be sent again without a duplicate.
public enum SMTPError: ExplainedError, Hashable {
    /// The server cannot be reached, or closed the connection prematurely.
    case unreachable(host: String, reason: String)
    /// Its certificate is not trusted.
    case certificate(host: String)
    /// The server offers no encryption, or `none` is set for a server on another machine.
    case notEncrypted(host: String)
    /// The server rejects the user and password, or offers neither PLAIN nor LOGIN.
    case signIn(host: String, reply: String)
    /// The server refused this message: temporarily if the reply begins with 4, permanently if with 5.
    case refused(host: String, reply: String)
    /// The message is too long, or the settings are unusable; nothing was sent to the server.
    case letter(reason: String)
    /// The whole message was sent to the server and its reply is missing.
    case mayHaveBeenSent(host: String, reason: String)

    /// A machine-readable code that is stable across releases.
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

    /// A description of the failure. It contains no recipient address and no password.
    public var what: String {
        switch self {
        case .unreachable(let host, let reason): "The receipt was not sent: the mail server \(host) \(reason)."
        case .certificate(let host): "The receipt was not sent: the certificate of \(host) is not trusted."
        case .notEncrypted(let host):
            "The receipt was not sent: the connection to \(host) would not be encrypted."
        case .signIn(let host, let reply):
            "The receipt was not sent: \(host) rejected the user and password (\(reply))."
        case .refused(let host, let reply): "The receipt was not sent: \(host) refused it (\(reply))."
        case .letter(let reason): "The receipt was not sent: \(reason)."
        case .mayHaveBeenSent(let host, let reason): "The receipt may have been sent: \(host) \(reason)."
        }
    }

    /// Mail moves no money.
    public var moneyMoved: MoneyMoved { .no }

    /// The recommended next step.
    public var next: String {
        switch self {
        case .unreachable: "Check the mail server's settings, then send it again."
        case .certificate: "Check the mail server's name, or name its authority in smtp.authority_file."
        case .notEncrypted: "Use a mail server that offers STARTTLS or TLS; `none` is for one on this machine."
        case .signIn: "Check smtp.user and smtp.password."
        case .refused(_, let reply):
            reply.hasPrefix("4") ? "Send it again later." : "Check the address of the customer and of the shop."
        case .letter: "Correct that and send it again."
        case .mayHaveBeenSent: "Ask the customer whether it arrived before you send it again."
        }
    }
}
