package dev.decant.fix;

import dev.decant.fix.session.SessionProtocol;
import dev.decant.fix.session.SessionUser;
import dev.decant.fix.session.Validation;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.fix.store.MessageStore;
import dev.decant.fix.store.MessageStoreFactory;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parts that a session is created from.
 *
 * @param settings the rules of the session
 * @param application receives its messages
 * @param authenticator decides about Logons
 * @param stores opens its store
 * @param connecting makes what connects an initiator, when its loop is known; null for a session of an acceptor
 * @param logonFailed called when a first logon to a session of an acceptor fails; identifies the acceptor. Null for an
 *     initiator
 */
record SessionOpening(SessionSettings settings, Application application, Authenticator authenticator,
    MessageStoreFactory stores, @Nullable Function<EngineLoop, Reconnector> connecting,
    @Nullable Consumer<SessionRunner> logonFailed) {

  SessionProtocol protocol(EngineParts parts, EngineLoop home, SessionUser user, SessionHours hours)
      throws IOException {
    MessageStore store = stores.open(settings.id(), parts.clock().epochNanos());
    boolean isReady = false;
    try {
      hours.takeStore(store);
      isReady = true;
    } finally {
      if (!isReady) {
        store.close();
      }
    }
    SessionProtocol.Parts used = new SessionProtocol.Parts(settings, store, parts.log(), parts.events(), home.time(),
        home.memory());
    return new SessionProtocol(used, user, Validation.of(settings));
  }
}
