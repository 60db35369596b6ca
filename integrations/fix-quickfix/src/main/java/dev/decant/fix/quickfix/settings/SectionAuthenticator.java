package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Peer;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * Decides which counterparties may log on to the sessions of a settings file. It gets the section of each session,
 * whose {@link QuickFixSession#applicationSettings()} may have a Username. Called as
 * {@link dev.decant.fix.Authenticator#refuse}: by the owner of the engine's loop, so it must not block.
 */
@FunctionalInterface
public interface SectionAuthenticator {
  /**
   * Decides about a Logon(A) for a session.
   *
   * @param id the session; a template is about to create it if it is new
   * @param section the settings of the session, or of the template that creates it
   * @param logon the Logon(A), valid until this returns
   * @param peer the address and certificate of the counterparty
   * @return null to accept it; otherwise the reason for the refusal
   */
  @Nullable
  String refuse(SessionId id, QuickFixSession section, MessageView logon, Peer peer);
}
