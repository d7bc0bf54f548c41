import Foundation
import TillCore

/// Which passwords are taken: length counts and nothing has to be of a kind (ASVS 5, 6.2; NIST SP 800-63B-4, 3.1.1).
struct PasswordPolicy: Hashable, Sendable {
    /// Characters of the shortest.
    static let minimumCharacters = 12
    /// Characters of the longest.
    static let maximumCharacters = 128
    /// Bytes that are read of one at most: every character may be several.
    static let maximumBytes = 2_048
    /// Characters that must be left of one without what anybody can know of its person and shop.
    static let minimumOwn = 8
    /// A pattern of so many characters or fewer that makes up the whole is no password.
    private static let longestPattern = 4

    /// What the shop is called.
    let shop: String

    /// One form for what looks the same, so that a password does not depend on the keyboard it is typed on.
    static func normalized(_ password: Secret<String>) -> Secret<String> {
        Secret(password.reveal().precomposedStringWithCanonicalMapping)
    }

    /// - Parameter password: normalized.
    /// - Throws: ``StaffError/invalidPassword`` for its length, ``StaffError/weakPassword`` for one that is guessed first.
    func check(_ password: Secret<String>, of name: String) throws(StaffError) {
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

    /// One character or a short pattern over and over, or characters in a row such as abcdefghijkl.
    private static func repeatsOrCounts(_ text: [Character]) -> Bool {
        let isPattern = (1...longestPattern).contains { length in
            text.indices.allSatisfy { text[$0] == text[$0 % length] }
        }
        let scalars = text.compactMap { $0.unicodeScalars.first.map { Int($0.value) } }
        let steps = Set(zip(scalars, scalars.dropFirst()).map { $1 - $0 })
        return isPattern || steps == [1] || steps == [-1]
    }
}

/// What people choose who must choose something long: a list of our own, kept short. The lists of what was stolen
/// elsewhere have millions and are not part of Till.
enum CommonPasswords {
    /// Whether a password, in lower case, is one of them, with whatever digits and signs around it or in place of letters.
    static func has(_ folded: String) -> Bool {
        let letters = substituted(folded)
        let candidates = [core(folded), core(letters), substituted(core(folded))]
            .map { $0.filter { $0.isLetter || $0.isNumber } }
        return candidates.contains { text in
            words.contains(text) || halves(text).contains { words.contains($0) }
        } || rows.contains { $0.contains(folded) || String($0.reversed()).contains(folded) }
    }

    /// From the first letter to the last.
    private static func core(_ text: String) -> String {
        guard let first = text.firstIndex(where: \.isLetter), let last = text.lastIndex(where: \.isLetter) else {
            return ""
        }
        return String(text[first...last])
    }

    private static func substituted(_ text: String) -> String { String(text.map { substitutes[$0] ?? $0 }) }

    /// What is written twice or three times.
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

    /// What lies side by side on keyboards, in rows and in steps.
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
