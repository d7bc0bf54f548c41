import Foundation
package import TillCore

/// The password rules: length matters, character classes do not (ASVS 5, 6.2; NIST SP 800-63B-4, 3.1.1).
package struct PasswordPolicy: Hashable, Sendable {
    /// The minimum length, in characters.
    package static let minimumCharacters = 12
    /// The maximum length, in characters.
    static let maximumCharacters = 128
    /// The maximum length accepted in input, in bytes: a character may take several.
    package static let maximumBytes = 2_048
    /// The minimum number of characters that remain after removing the person's name, the shop's name and similar
    /// words.
    static let minimumOwn = 8
    /// The longest pattern, in characters, that is rejected when repeated.
    private static let longestPattern = 4

    /// The name of the shop.
    package let shop: String

    package init(shop: String) {
        self.shop = shop
    }

    /// Normalizes a password, so that it does not depend on the keyboard.
    package static func normalized(_ password: Secret<String>) -> Secret<String> {
        Secret(password.reveal().precomposedStringWithCanonicalMapping)
    }

    /// Checks a normalized password.
    /// - Throws: ``StaffError/invalidPassword`` for its length, and ``StaffError/weakPassword`` for one that is easily
    ///   guessed.
    package func check(_ password: Secret<String>, of name: String) throws(StaffError) {
        let text = password.reveal()
        guard (PasswordPolicy.minimumCharacters...PasswordPolicy.maximumCharacters).contains(text.count),
            text.utf8.count <= PasswordPolicy.maximumBytes
        else { throw .invalidPassword }
        let folded = text.lowercased()
        guard !PasswordPolicy.repeatsOrCounts(Array(folded)), !CommonPasswords.has(folded) else { throw .weakPassword }
        var own = folded
        for word in PasswordPolicy.words(in: name) + PasswordPolicy.words(in: shop) + ["till"] {
            own = own.replacingOccurrences(of: word, with: "")
        }
        guard own == folded || own.count >= PasswordPolicy.minimumOwn && !CommonPasswords.has(own) else {
            throw .weakPassword
        }
    }

    private static func words(in text: String) -> [String] {
        text.lowercased().precomposedStringWithCanonicalMapping.split { !$0.isLetter && !$0.isNumber }
            .map(String.init).filter { $0.count >= 3 }
    }

    /// Returns `true` for a repeated character or short pattern, and for consecutive characters such as abcdefghijkl.
    private static func repeatsOrCounts(_ text: [Character]) -> Bool {
        let isPattern = (1...longestPattern).contains { length in
            text.indices.allSatisfy { text[$0] == text[$0 % length] }
        }
        let scalars = text.compactMap { $0.unicodeScalars.first.map { Int($0.value) } }
        let steps = Set(zip(scalars, scalars.dropFirst()).map { $1 - $0 })
        return isPattern || steps == [1] || steps == [-1]
    }
}

/// A short list of common long passwords, compiled for Till. Lists of breached passwords have millions of entries and
/// are not part of Till.
enum CommonPasswords {
    /// Returns `true` if a lower-case password is a common one, ignoring surrounding digits and signs and substituted
    /// letters.
    static func has(_ folded: String) -> Bool {
        let letters = substituted(folded)
        let candidates = [core(folded), core(letters), substituted(core(folded))]
            .map { $0.filter { $0.isLetter || $0.isNumber } }
        return candidates.contains { text in
            words.contains(text) || halves(text).contains { words.contains($0) }
        } || rows.contains { $0.contains(folded) || String($0.reversed()).contains(folded) }
    }

    /// Returns the text from the first letter to the last.
    private static func core(_ text: String) -> String {
        guard let first = text.firstIndex(where: \.isLetter), let last = text.lastIndex(where: \.isLetter) else {
            return ""
        }
        return String(text[first...last])
    }

    private static func substituted(_ text: String) -> String { String(text.map { substitutes[$0] ?? $0 }) }

    /// Returns the repeated part of a text that consists of two or three repetitions.
    private static func halves(_ text: String) -> [String] {
        [2, 3].compactMap { times in
            guard text.count % times == 0, !text.isEmpty else { return nil }
            let part = String(text.prefix(text.count / times))
            return String(repeating: part, count: times) == text ? part : nil
        }
    }

    private static let substitutes: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
    ]

    private static func list(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

    /// The sequences of adjacent keys, in rows and in steps.
    private static let rows = list(
        """
        1234567890123456789012345678901234567890 qwertyuiop[]asdfghjkl;'zxcvbnm,./
        qwertyuiopasdfghjklzxcvbnmqwertyuiop qwertzuiopüasdfghjklöäyxcvbnm azertyuiopqsdfghjklmwxcvbn
        1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc4rfv5tgb6yhn qazwsxedcrfvtgbyhnujmikolp
        abcdefghijklmnopqrstuvwxyz0123456789
        """)

    private static let words = Set(
        list(
            """
            password passwort passphrase motdepasse contrasena kennwort geheim secret letmein letmeinplease letmeinnow
            welcome welcomehome welcometotill willkommen bienvenue changeme changemenow changemeplease changethis
            changeit default defaultpassword mypassword yourpassword newpassword oldpassword thepassword
            thisismypassword passwordpassword nopassword password1password masterpassword adminpassword rootpassword
            userpassword administrator adminadmin admin root superuser supervisor superadmin manager cashier owner
            backoffice office cashregister register payment payments creditcard money moneymoney business company shop
            store storefront shopshop iloveyou iloveyousomuch iloveyouforever ihateyou football footballfootball
            basketball baseball volleyball superman batman spiderman starwars startrek pokemon minecraft fortnite
            princess sunshine sunflower butterfly chocolate strawberry watermelon cheeseburger computer internet samsung
            microsoft facebook google instagram whatsapp youtube jesuschrist ilovejesus godisgood blessed michaeljordan
            manchesterunited liverpool liverpoolfc realmadrid barcelona chelsea arsenal juventus bayernmunchen
            correcthorsebatterystaple trustno whatever nothing something everything summer winter spring autumn january
            february september october november december monday friday saturday christmas happybirthday forever together
            anything abcdefg qwerty qwertyuiop qwertyqwerty asdfghjkl asdfasdf zxcvbnm test testing testtest
            testpassword temporary temppassword temp guest demo example onetwothree onetwothreefour helloworld hello
            hellohello goodmorning dragon monkey master shadow charlie michael jennifer
            """))
}
