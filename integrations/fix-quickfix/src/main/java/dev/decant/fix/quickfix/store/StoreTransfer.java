package dev.decant.fix.quickfix.store;

import dev.decant.fix.settings.SessionId;
import java.time.Instant;

/**
 * The result of an import or export.
 *
 * @param session the session of the store
 * @param nextOutbound the number of the next message to be sent
 * @param nextInbound the number of the next message expected
 * @param created when the numbers began with 1
 * @param messages how many messages were copied
 * @param skipped how many were not copied, because they are torn, are no messages, or have a number that is not used
 *     yet
 */
public record StoreTransfer(SessionId session, long nextOutbound, long nextInbound, Instant created, long messages,
    long skipped) {
  @Override
  public String toString() {
    return session + ": " + messages + " messages, next out " + nextOutbound + ", next in " + nextInbound + ", since "
        + created + (skipped == 0 ? "" : ", " + skipped + " messages left out");
  }
}
