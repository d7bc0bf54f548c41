import ArgumentParser
import TillCore
import TillCounter
import TillJournal

extension JournalCommand {
    struct Head: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "head",
            abstract: "Prints where the journal's chain ends, signed if there is a key.",
            discussion: """
                till journal head --new-key FILE     makes a key: FILE, which only you may read, and FILE.pub
                till journal head --sign-with FILE   one line to print, mail or file; journal_signing_key does the same
                till journal verify --signed-head LINE.txt --public-key FILE.pub

                The line shows later that the journal was changed, cut off or set back, whoever computed its chain
                anew. Keep the line and FILE.pub apart from the machine, and FILE where only the counter reads it.
                """)
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Option(help: ArgumentHelp("Sign with this key. Also TILL_JOURNAL_SIGNING_KEY.", valueName: "file"))
        var signWith: String?
        @Option(help: ArgumentHelp("Make a key in a new file, and its public key beside it.", valueName: "file"))
        var newKey: String?

        func validate() throws {
            guard signWith == nil || newKey == nil else {
                throw ValidationError("--sign-with and --new-key are not given together.")
            }
        }

        func run() async throws {
            if let newKey { return try make(newKey) }
            try await withCounter(common, provider, creates: false) { counter in
                let key = try HeadSigner.key(common, named: signWith)
                let stated = try await counter.journal.head()
                tell(stated, try key.map { try SignedHead(stated, at: counter.clock.now(), key: $0) })
            }
        }

        private func make(_ path: String) throws {
            do throws(HeadKeyFileError) {
                let key = try HeadKeyFile.make(at: path)
                let publicPath = path + HeadKeyFile.publicSuffix
                guard common.json else {
                    return Output.line(
                        "Made the key \(key.verifyingKey.id) in \(path). Keep \(publicPath) apart from this machine.")
                }
                var writer = JSONWriter()
                writer.beginObject()
                writer.field("signing_key", path)
                writer.field("public_key", publicPath)
                writer.field("key", key.verifyingKey.id)
                writer.endObject()
                Output.line(writer.text)
            } catch {
                throw Output.fail(error, json: common.json)
            }
        }

        private func tell(_ stated: JournalHead, _ signed: SignedHead?) {
            guard common.json else { return Output.line(signed?.description ?? "\(stated.head)") }
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("journal", stated.journal)
            writer.field("head", stated.head.description)
            writer.field("at", signed?.at.description)
            writer.field("key", signed?.key)
            writer.field("signed_head", signed?.description)
            writer.endObject()
            Output.line(writer.text)
        }
    }
}

/// The key that signs journal heads, and the signed head stored beside a backup.
enum HeadSigner {
    /// The suffix of the file with a backup's signed head.
    static let suffix = ".signed-head"

    /// Returns the key from the option, or else from the settings; `nil` if none is configured.
    static func key(_ common: CommonOptions, named path: String? = nil) throws -> HeadSigningKey? {
        guard let path = try path ?? common.settings().text(.journalSigningKey) else { return nil }
        return try HeadKeyFile.signingKey(at: path)
    }

    /// Returns the statement in a file after verifying its signature.
    static func statement(_ path: String, publicKey: String) throws -> SignedHead {
        let key = try HeadKeyFile.verifyingKey(at: publicKey)
        let signed = try SignedHead(parsing: try TextFile.read(path, limit: SignedHead.maximumBytes))
        try signed.verify(with: key)
        return signed
    }
}
