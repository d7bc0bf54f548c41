import Foundation
public import TillCore

/// A message with the same content as text and as HTML. It is encoded as ASCII with lines of at most 78 bytes: words in
/// headers are encoded, bodies are base64, so no text can inject a header, end the message or start another.
public struct MailMessage: Hashable, Sendable {
    /// The maximum size of a message, in bytes as sent.
    public static let maximumBytes = 4 << 20

    /// The shop's address, also the envelope sender, which receives bounces.
    public var from: EmailAddress
    /// The sender's display name; may be empty.
    public var fromName: String
    public var to: EmailAddress
    /// The subject; truncated after about 390 bytes.
    public var subject: String
    /// The plain-text body.
    public var text: String
    /// The HTML body, without external resources.
    public var html: String
    /// An identifier unique among the shop's messages, of letters, digits and dashes; other characters are removed. A
    /// message sent again with it has the same `Message-ID`, so that mail programs can deduplicate it.
    public var identifier: String
    /// The `Date` header, in UTC.
    public var date: Timestamp

    /// Creates a message without validation: ``EmailAddress`` has validated the addresses, and every text is encoded.
    public init(
        from: EmailAddress, fromName: String, to: EmailAddress, subject: String, text: String, html: String,
        identifier: String, date: Timestamp
    ) {
        self.from = from
        self.fromName = fromName
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.identifier = identifier
        self.date = date
    }

    /// The message as it is sent (RFC 5322 and 2045), each line ended by CR LF, without the final dot of SMTP.
    public var bytes: [UInt8] {
        let name = identifier.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        let domain = from.text.split(separator: "@").last.map(String.init) ?? ""
        // Base64 holds no dash and no underscore, so no line of a body is the boundary.
        let boundary = "till-_\(name)"
        var head = [
            "From: \(MailMessage.words(fromName, before: 6).map { "\($0)\r\n " } ?? "")<\(from.text)>",
            "To: <\(to.text)>",
            "Subject: \(MailMessage.words(subject, before: 9) ?? "")",
            "Date: \(MailMessage.day(date))",
            "Message-ID: <\(name)@\(domain)>",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        head.append("")
        for (type, body) in [("plain", text), ("html", html)] {
            head += [
                "--\(boundary)", "Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
                MailMessage.base64(body),
            ]
        }
        head.append("--\(boundary)--")
        return Array((head.joined(separator: "\r\n") + "\r\n").utf8)
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
    }

    /// Encodes a header's words as encoded words of RFC 2047, folded; returns `nil` if there are none. Plain ASCII is
    /// encoded too, so that there is one code path only.
    static func words(_ text: String, before count: Int) -> String? {
        let clean = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        guard !clean.isEmpty else { return nil }
        var pieces: [String] = []
        var piece: [UInt8] = []
        // 39 bytes make 52 characters, and with the frame 64; a character is never split.
        for scalar in clean {
            let bytes = Array(String(scalar).utf8)
            if piece.count + bytes.count > 39 {
                pieces.append(encodedWord(piece))
                piece = []
            }
            piece += bytes
            if pieces.count >= 10 { break }
        }
        if !piece.isEmpty { pieces.append(encodedWord(piece)) }
        return pieces.joined(separator: "\r\n ")
    }

    private static func encodedWord(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Data(bytes).base64EncodedString())?=" }

    /// Formats a time as in RFC 5322, in UTC: `Sat, 21 Nov 2026 09:30:05 +0000`.
    static func day(_ moment: Timestamp) -> String {
        let text = moment.internetTime
        let parts = text.split { $0 == "-" || $0 == "T" || $0 == "Z" }.map(String.init)
        guard parts.count == 4, let month = Int(parts[1]), (1...12).contains(month) else { return text }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        // 1 January 1970 was a Thursday.
        let days = moment.milliseconds / 86_400_000
        return "\(weekdays[Int((days % 7 + 11) % 7)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}

extension EmailAddress {
    /// The address masked for logs, the journal and pages: its first character and its domain, `j•••@example.com`.
    public var masked: String {
        let parts = text.split(separator: "@")
        guard parts.count == 2, let first = parts[0].first else { return "•••" }
        return "\(first)•••@\(parts[1])"
    }
}
