import Foundation
import Testing
import TillCore

@testable import TillMail

private func letter(subject: String = "Receipt", name: String = "Tea & Co", text: String = "Hello", id: String = "m1")
    throws -> MailMessage
{
    MailMessage(
        from: try #require(EmailAddress("shop@shop.example")), fromName: name,
        to: try #require(EmailAddress("ada@example.com")), subject: subject, text: text, html: "<p>\(text)</p>",
        identifier: id, date: Timestamp(milliseconds: 1_795_253_405_000))
}

@Suite("A letter as it travels")
struct MailMessageTests {
    @Test("is ASCII in lines of at most 78 bytes, whatever its words are")
    func lines() throws {
        let words = String(repeating: "レシート 👩‍👩‍👧‍👦 مقهى \u{202E} ż\u{0}\u{1B}[2J\r\n.\r\n", count: 50)
        let bytes = try letter(subject: words, name: words, text: words).bytes
        #expect(bytes.allSatisfy { $0 < 0x80 && ($0 >= 0x20 || $0 == 0x0D || $0 == 0x0A) })
        for line in String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n") {
            #expect(line.utf8.count <= 78 && !line.contains("\n") && !line.contains("\r"), "\(line)")
        }
    }

    @Test(
        "no words make a header of their own",
        arguments: ["x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\r\n\r\nBody", "x\u{2028}Bcc: e@e.com"])
    func injection(words: String) throws {
        let text = String(decoding: try letter(subject: words, name: words, id: words).bytes, as: UTF8.self)
        let head = try #require(text.components(separatedBy: "\r\n\r\n").first)
        let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }
            .compactMap { $0.split(separator: ":").first.map(String.init) }
        #expect(
            names == [
                "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
            ])
        #expect(!text.contains("Bcc:"))
    }

    @Test("says its day as mail does")
    func day() throws {
        #expect(MailMessage.day(Timestamp(milliseconds: 1_795_253_405_000)) == "Sat, 21 Nov 2026 09:30:05 +0000")
        #expect(MailMessage.day(Timestamp(milliseconds: 0)) == "Thu, 01 Jan 1970 00:00:00 +0000")
    }

    @Test("a line of a point does not end it")
    func stuffing() {
        func stuffed(_ text: String) -> String { String(decoding: SMTPClient.stuffed(Array(text.utf8)), as: UTF8.self) }
        #expect(stuffed(".\r\n..a\r\nb.\r\n") == "..\r\n...a\r\nb.\r\n")
        #expect(!stuffed("a\r\n.\r\nQUIT\r\n").contains("\r\n.\r\n"))
    }

    @Test("an address shows its first character and its domain")
    func mask() throws {
        #expect(try #require(EmailAddress("ada.lovelace@example.com")).masked == "a•••@example.com")
        for bad in ["a@b", "a b@c.d", "a@c.d\r\nBcc: x@y.z", "<a@b.c>", "a@b.c,d@e.f", "a@[127.0.0.1]", "", "ä@b.c"] {
            #expect(EmailAddress(bad) == nil)
        }
    }
}

@Suite("What a mail server answers")
struct SMTPReplyTests {
    private func parse(_ text: String) throws -> [SMTPReply] {
        var parser = SMTPReplyParser()
        return try text.utf8.compactMap { try parser.take($0) }
    }

    @Test("one line, several lines, and their extensions")
    func replies() throws {
        #expect(try parse("250 ok\r\n") == [SMTPReply(code: 250, lines: ["ok"])])
        let many = try parse("250-mail.example\r\n250-SIZE 1000\r\n250-AUTH PLAIN LOGIN\r\n250 STARTTLS\r\n221 bye\r\n")
        #expect(many.count == 2)
        #expect(many[0].parameters(of: "SIZE") == ["1000"])
        #expect(many[0].parameters(of: "AUTH") == ["PLAIN", "LOGIN"])
        #expect(many[0].parameters(of: "STARTTLS") == [])
        #expect(many[0].parameters(of: "PIPELINING") == nil)
        #expect(try parse("550 no <ada@example.com> here\r\n")[0].shown == "550 no here")
    }

    @Test(
        "what is no answer ends the talk",
        arguments: [
            "hello\r\n", "99 x\r\n", "250-a\r\n251 b\r\n", "250x\r\n", "\r\n", "600 x\r\n",
            "250 " + String(repeating: "x", count: 3_000), String(repeating: "250-x\r\n", count: 70),
        ])
    func nonsense(text: String) { #expect(throws: SMTPParseError.self) { try parse(text) } }

    @Test("a hundred thousand random bytes trap nothing and are not kept")
    func random() {
        var state: UInt64 = 7
        for _ in 0..<200 {
            var parser = SMTPReplyParser()
            for _ in 0..<500 {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                let any = UInt8(truncatingIfNeeded: state >> 40)
                let choices: [UInt8] = [0x32, 0x35, 0x30, 0x2D, 0x20, 0x0A, 0x0D, any]
                do { _ = try parser.take(choices[Int(state >> 33) % choices.count]) } catch { break }
            }
        }
    }
}
