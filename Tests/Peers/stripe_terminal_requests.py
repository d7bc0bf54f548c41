#!/usr/bin/env python3
"""Records, byte for byte, what Stripe's own Python library sends for Terminal: as stripe_requests.py, for the calls
that move card readers.

    Tests/Peers/stripe_terminal_requests.py [--output FILE]      default: standard output
"""
import stripe_requests


def calls(client):
    """Each call once, with the arguments the Swift test repeats."""
    terminal, helpers = client.v1.terminal, client.v1.test_helpers.terminal
    readers, locations, configurations = terminal.readers, terminal.locations, terminal.configurations

    def key(value):
        return {"idempotency_key": value}

    address = {
        "line1": "1 Rue de l'Église", "line2": "2nd floor", "city": "Montréal", "state": "QC", "country": "CA",
        "postal_code": "H2X 1Y4",
    }
    yield "location_create", lambda: locations.create(
        {"display_name": "Café & Söhne", "address": address, "phone": "+15145550100",
         "configuration_overrides": "tmc_1", "metadata": {"till": "1"}}, key("k-location"))
    yield "location_create_least", lambda: locations.create(
        {"display_name": "HQ", "address": {"line1": "1 Main St", "city": "Springfield", "state": "IL", "country": "US",
                                           "postal_code": "62701"}}, key("k-location-least"))
    yield "location_retrieve", lambda: locations.retrieve("tml_1")
    yield "location_update", lambda: locations.update(
        "tml_1", {"display_name": "New name", "configuration_overrides": ""}, key("k-location-update"))
    yield "location_list", lambda: locations.list({"limit": 100, "starting_after": "tml_1"})
    yield "location_delete", lambda: locations.delete("tml_1")
    yield "reader_create", lambda: readers.create(
        {"registration_code": "simulated-wpe", "label": "Front counter", "location": "tml_1",
         "metadata": {"till": "1"}}, key("k-register"))
    yield "reader_create_least", lambda: readers.create(
        {"registration_code": "quick-brown-fox"}, key("k-register-least"))
    yield "reader_retrieve", lambda: readers.retrieve("tmr_1")
    yield "reader_update", lambda: readers.update("tmr_1", {"label": "Bar"}, key("k-reader-update"))
    yield "reader_list", lambda: readers.list({"limit": 100})
    yield "reader_list_filtered", lambda: readers.list(
        {"device_type": "simulated_wisepos_e", "location": "tml_1", "serial_number": "s-1", "status": "online",
         "limit": 10, "starting_after": "tmr_1"})
    yield "reader_delete", lambda: readers.delete("tmr_1")
    yield "configuration_create", lambda: configurations.create(
        {"name": "Bar",
         "tipping": {"eur": {"fixed_amounts": [100, 200], "percentages": [5, 10, 15], "smart_tip_threshold": 1000}},
         "offline": {"enabled": False}, "reboot_window": {"start_hour": 2, "end_hour": 5}}, key("k-configuration"))
    yield "configuration_retrieve", lambda: configurations.retrieve("tmc_1")
    yield "configuration_update", lambda: configurations.update(
        "tmc_1", {"reboot_window": {"start_hour": 3, "end_hour": 4}}, key("k-configuration-update"))
    yield "configuration_list", lambda: configurations.list({"is_account_default": True, "limit": 100})
    yield "configuration_delete", lambda: configurations.delete("tmc_1")
    yield "connection_token", lambda: terminal.connection_tokens.create({"location": "tml_1"}, key("k-token"))
    yield "connection_token_everywhere", lambda: terminal.connection_tokens.create(None, key("k-token-all"))
    yield "process_payment_intent", lambda: readers.process_payment_intent(
        "tmr_1",
        {"payment_intent": "pi_1", "process_config": {"enable_customer_cancellation": True, "skip_tipping": True}},
        key("k-process"))
    yield "process_payment_intent_whole", lambda: readers.process_payment_intent(
        "tmr_1",
        {"payment_intent": "pi_1",
         "process_config": {
             "enable_customer_cancellation": False, "skip_tipping": False, "tipping": {"amount_eligible": 1000},
             "allow_redisplay": "limited", "return_url": "https://shop.example/back?a=1"}}, key("k-process-whole"))
    yield "collect_payment_method", lambda: readers.collect_payment_method(
        "tmr_1",
        {"payment_intent": "pi_1", "collect_config": {"enable_customer_cancellation": True, "skip_tipping": True}},
        key("k-collect"))
    yield "confirm_payment_intent", lambda: readers.confirm_payment_intent(
        "tmr_1", {"payment_intent": "pi_1"}, key("k-confirm"))
    yield "confirm_payment_intent_returning", lambda: readers.confirm_payment_intent(
        "tmr_1", {"payment_intent": "pi_1", "confirm_config": {"return_url": "https://shop.example/back"}},
        key("k-confirm-url"))
    yield "process_setup_intent", lambda: readers.process_setup_intent(
        "tmr_1",
        {"setup_intent": "seti_1", "allow_redisplay": "always",
         "process_config": {"enable_customer_cancellation": True}}, key("k-setup"))
    yield "refund_payment", lambda: readers.refund_payment(
        "tmr_1",
        {"payment_intent": "pi_1", "amount": 500, "metadata": {"till_refund": "pay_1-r1"},
         "refund_payment_config": {"enable_customer_cancellation": True}}, key("k-refund"))
    yield "refund_payment_of_charge", lambda: readers.refund_payment(
        "tmr_1", {"charge": "ch_1"}, key("k-refund-charge"))
    yield "set_reader_display", lambda: readers.set_reader_display(
        "tmr_1",
        {"type": "cart",
         "cart": {
             "currency": "eur",
             "line_items": [{"description": "Café crème", "amount": 350, "quantity": 2},
                            {"description": "Tarte 100%", "amount": 550, "quantity": 1}],
             "tax": 120, "total": 1370}}, key("k-display"))
    yield "collect_inputs", lambda: readers.collect_inputs(
        "tmr_1",
        {"inputs": [
            {"type": "selection",
             "custom_text": {"title": "Bag?", "description": "It costs nothing.", "skip_button": "Later"},
             "required": False,
             "selection": {"choices": [{"id": "yes", "text": "Yes", "style": "primary"},
                                       {"id": "no", "text": "No", "style": "secondary"}]}},
            {"type": "email", "custom_text": {"title": "Receipt", "submit_button": "Send"}, "required": True,
             "toggles": [{"title": "News", "description": "Once a month", "default_value": "disabled"}]},
        ], "metadata": {"till_order": "o-1"}}, key("k-inputs"))
    yield "cancel_action", lambda: readers.cancel_action("tmr_1", None, key("k-cancel"))
    yield "present_payment_method", lambda: helpers.readers.present_payment_method(
        "tmr_1", {"type": "card_present", "card_present": {"number": "4242424242424242"}, "amount_tip": 100},
        key("k-present"))
    yield "present_payment_method_interac", lambda: helpers.readers.present_payment_method(
        "tmr_1", {"type": "interac_present", "interac_present": {"number": "4506445006931933"}}, key("k-interac"))
    yield "present_payment_method_least", lambda: helpers.readers.present_payment_method("tmr_1", None, key("k-any"))
    yield "succeed_input_collection", lambda: helpers.readers.succeed_input_collection(
        "tmr_1", {"skip_non_required_inputs": "all"}, key("k-succeed"))
    yield "timeout_input_collection", lambda: helpers.readers.timeout_input_collection("tmr_1", None, key("k-timeout"))
    yield "intent_create", lambda: client.v1.payment_intents.create(
        {"amount": 1250, "currency": "cad", "capture_method": "manual",
         "payment_method_types": ["card_present", "interac_present"],
         "payment_method_options": {
             "card_present": {"request_extended_authorization": True,
                              "request_incremental_authorization_support": True,
                              "routing": {"requested_priority": "domestic"}}},
         "description": "Order 1", "statement_descriptor": "TILL SHOP", "receipt_email": "jo@shop.example",
         "application_fee_amount": 25, "metadata": {"till_order": "o-1"}}, key("k-intent"))
    yield "increment_authorization", lambda: client.v1.payment_intents.increment_authorization(
        "pi_1", {"amount": 1500}, key("k-increment"))
    yield "setup_intent_create", lambda: client.v1.setup_intents.create(
        {"payment_method_types": ["card_present"], "usage": "off_session"}, key("k-setup-intent"))


if __name__ == "__main__":
    stripe_requests.calls = calls
    stripe_requests.main()
