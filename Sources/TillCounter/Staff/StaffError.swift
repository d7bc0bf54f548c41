public import TillCore
public import TillJournal

/// The reason that a staff operation failed. No change was made.
public enum StaffError: ExplainedError, Hashable {
    case unknownPerson(String)
    case nameTaken(String)
    case invalidName
    /// The name contains a card number.
    case cardNumber
    case tooMany
    /// The account would have no staff left.
    case lastPerson(String)
    /// Nobody could sign in and manage the staff any more.
    case lastManager(String)
    /// Staff sign-in can end only with one person left.
    case severalPeople(Int)
    /// A person was added while all sessions were being ended.
    case addedMeanwhile
    case unknownRole(String)
    case unknownPermission(String)
    case invalidRoleName
    case invalidLimit
    case tooManyRoles
    case builtInRole(String)
    /// Another role has the name.
    case roleTaken(String)
    case roleInUse(String)
    /// The role is no longer the one that was read.
    case roleChanged(String)
    case invalidPIN(digits: Int)
    case weakPIN
    case invalidPassword
    case weakPassword
    case tooManyPasskeys
    /// The owner of the passkey has no other credential.
    case lastPasskey
    /// The hashes were made with another pepper.
    case pepperMissing
    case pepperFile(String)
    /// Other users can read or modify the pepper file, or may have done so.
    case untrusted(UntrustedFile)
    /// The queue of PIN checks is full.
    case busy
    case hashing
    case journal(JournalError)

    public var code: String {
        switch self {
        case .unknownPerson: "staff_not_found"
        case .nameTaken: "staff_name_taken"
        case .invalidName: "invalid_name"
        case .cardNumber: "card_number_refused"
        case .tooMany: "too_many_staff"
        case .lastPerson: "last_person"
        case .lastManager: "last_staff_manager"
        case .severalPeople, .addedMeanwhile: "several_people"
        case .unknownRole: "unknown_role"
        case .unknownPermission: "unknown_permission"
        case .invalidRoleName: "invalid_role_name"
        case .invalidLimit: "invalid_limit"
        case .tooManyRoles: "too_many_roles"
        case .builtInRole: "built_in_role"
        case .roleTaken: "role_exists"
        case .roleInUse: "role_in_use"
        case .roleChanged: "role_changed"
        case .invalidPIN: "invalid_pin"
        case .weakPIN: "weak_pin"
        case .invalidPassword: "invalid_password"
        case .weakPassword: "weak_password"
        case .tooManyPasskeys: "too_many_passkeys"
        case .lastPasskey: "last_passkey"
        case .pepperMissing: "pins_unreadable"
        case .pepperFile: "pepper_file"
        case .untrusted(let file): file.code
        case .busy: "pins_busy"
        case .hashing: "pin_failed"
        case .journal: "journal_unavailable"
        }
    }

    public var what: String {
        switch self {
        case .unknownPerson(let word): "Nobody of the staff is called \(shown(word, 64)). Nothing was changed."
        case .nameTaken(let name): "There is a \(shown(name, 64)) already. Nothing was changed."
        case .invalidName:
            "A name is one line of 1 to \(StaffDirectory.maximumNameBytes) bytes. Nothing was changed."
        case .cardNumber: "The name has a card number in it. Nothing was changed."
        case .tooMany: "The account has \(StaffDirectory.maximumStaff) people. Nobody was added."
        case .lastPerson(let name): "\(shown(name, 64)) is the last person of the staff. Nobody was removed."
        case .lastManager(let name):
            "Without \(shown(name, 64)) nobody could sign in and manage the staff. Nothing was changed."
        case .severalPeople(let count):
            count == 0
                ? "The shop has no staff. Nothing was changed."
                : "The shop has \(count) people. Nobody was removed, and nobody was signed out."
        case .addedMeanwhile: "Somebody was added meanwhile: nobody was removed. Everybody was signed out."
        case .unknownRole(let name): "There is no role \(shown(name, 40)). Nothing was changed."
        case .unknownPermission(let word): "There is no permission “\(word)”. Nothing was changed."
        case .invalidRoleName:
            "A role's name has 1 to \(StaffRole.maximumNameBytes) lower-case letters, digits and dashes. "
                + "Nothing was changed."
        case .invalidLimit:
            "A limit of a role is a currency and 1 to \(StaffRole.maximumLimit) minor units. Nothing was changed."
        case .tooManyRoles: "The account has \(StaffRole.maximumOwn) roles of its own. Nothing was changed."
        case .builtInRole(let name): "The role \(name) is built in and stays as it is. Nothing was changed."
        case .roleTaken(let name): "There is a role \(shown(name, 40)) already. Nothing was changed."
        case .roleInUse(let name): "Somebody has the role \(name). Nothing was changed."
        case .roleChanged(let name):
            "The role \(shown(name, 40)) has been changed since it was read. This change was not made."
        case .invalidPIN(let digits):
            "A PIN has \(digits) to \(PINPolicy.maximumDigits) digits and nothing else. Nothing was changed."
        case .weakPIN: "That PIN is one of the first that anybody tries. Nothing was changed."
        case .invalidPassword:
            "A password has \(PasswordPolicy.minimumCharacters) to \(PasswordPolicy.maximumCharacters) characters, "
                + "whichever they are. Nothing was changed."
        case .weakPassword: "That password is one of the first that anybody tries. Nothing was changed."
        case .tooManyPasskeys: "There are \(Passkey.maximumPerPerson) passkeys already. None was added."
        case .lastPasskey: "That passkey is all that you can sign in with. It was not removed."
        case .pepperMissing:
            "The file that PINs and passwords are checked with is not the one that they were set with. "
                + "Nobody was signed in."
        case .pepperFile(let path): "The file \(path) cannot be read or made. No PIN or password was set or checked."
        case .untrusted(let file): file.what + " No PIN or password was set or checked."
        case .busy: "Too many PINs or passwords are being checked. Nobody was signed in, and nothing was changed."
        case .hashing: "The PIN or password could not be checked on this machine. Nobody was signed in."
        case .journal(let error): "\(error)"
        }
    }

    /// Returns the input truncated and without card numbers.
    private func shown(_ text: String, _ length: Int) -> String {
        String(CardNumberMask.maskedForPeople(text).prefix(length))
    }

    /// Staff operations move no money.
    public var moneyMoved: MoneyMoved { .no }

    public var next: String {
        switch self {
        case .unknownPerson: "till staff list has all."
        case .nameTaken: "Give another name."
        case .invalidName: "Give a shorter name without control characters."
        case .cardNumber: "Give another name; a letter between the digits helps."
        case .tooMany: "Remove those who have left, with till staff remove."
        case .lastPerson: "Use till staff end if the shop is to have no staff any more; it signs everybody out."
        case .lastManager: "Give somebody else a role with the permission staff first, and a PIN or an invitation."
        case .severalPeople, .addedMeanwhile: "Remove all but one first, with till staff remove."
        case .unknownRole: "till roles list has all."
        case .unknownPermission:
            "Use \(StaffPermission.allCases.map(\.rawValue).joined(separator: ", ")) with commas between, or all."
        case .invalidRoleName: "Give a name as shift-lead."
        case .invalidLimit: "Write it as EUR=5000 for 50.00 EUR."
        case .tooManyRoles: "Remove one that nobody has, with till roles remove."
        case .builtInRole: "Make one of your own, with till roles set."
        case .roleTaken: "Give another name, or change that role."
        case .roleInUse: "Give those people another role first, with till staff set-role."
        case .roleChanged: "Read the role again and, if the change is still right, send it with the new tag."
        case .invalidPIN: "Choose another PIN. The setting staff.pin_digits says how short it may be."
        case .weakPIN: "Choose digits that neither repeat nor count up or down."
        case .invalidPassword: "Choose another one; a few words that do not belong together are good."
        case .weakPassword: "Choose one without your name, the shop's name and what everybody types."
        case .tooManyPasskeys: "Remove one that you do not use any more."
        case .lastPasskey: "Add another one first, or have yourself invited again by whoever manages the staff."
        case .pepperMissing:
            "Restore the journal's -pepper file, or set the PINs anew with till staff set-pin and passwords with "
                + "till staff invite."
        case .untrusted(let file): file.next
        case .pepperFile: "Check the disk and the rights on the folder."
        case .busy: "Try again in a moment."
        case .hashing: "Check the memory of this machine, and try again."
        case .journal: "Check the disk and the rights on the file."
        }
    }
}
