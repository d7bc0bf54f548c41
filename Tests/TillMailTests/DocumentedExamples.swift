// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillMail

/// Of `SMTPClient.swift`.
private func example1(_ password: Secret<String>) async throws {
    guard let shop = EmailAddress("shop@example.com"), let customer = EmailAddress("ada@example.org") else { return }
    let server = SMTPServer(host: "smtp.example.com", user: "shop", password: password)
    let message = MailMessage(
        from: shop, fromName: "Corner shop", to: customer, subject: "Your receipt", text: "12.50 EUR, paid in cash.",
        html: "<p>12.50 EUR, paid in cash.</p>", identifier: "receipt-4711", date: SystemClock().now())
    try await SMTPClient(server).send(message)
    _ = server
    _ = message
}
