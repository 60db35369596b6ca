package dev.decant.fix;

import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;

/** The parts that a session is created from. */
record SessionOpening(SessionSettings settings, Application application, Authenticator authenticator,
    MessageStoreFactory stores) {

  SessionProtocol protocol(FixEngine engine, EngineLoop home, SessionUser user, SessionHours hours)
      throws IOException {
    MessageStore store = stores.open(settings.id(), engine.epochNanos());
    boolean isReady = false;
    try {
      hours.takeStore(store);
      isReady = true;
    } finally {
      if (!isReady) {
        store.close();
      }
    }
    SessionProtocol.Parts parts = new SessionProtocol.Parts(settings, store, engine.log(), engine.events(),
        home.time(), home.memory());
    return new SessionProtocol(parts, user, Validation.of(settings));
  }
}
