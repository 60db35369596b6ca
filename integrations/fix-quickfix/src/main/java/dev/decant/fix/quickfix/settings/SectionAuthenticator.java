package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Peer;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may log on to the sessions of a settings file, knowing the section of each: its
 * {@link QuickFixSession#own()} may have a Username. Called as {@link dev.decant.fix.Authenticator#refuse}: by the
 * owner of the engine's loop, so it must not block.
 */
@FunctionalInterface
public interface SectionAuthenticator {
  /**
   * A counterparty wants to log on to a session.
   *
   * @param id the session; of a template, one that is about to be made
   * @param section the settings of the session, or of the template that makes it
   * @param logon the Logon(A), valid until this returns
   * @param peer the counterparty: address and certificate
   * @return null to accept it; a reason to refuse it
   */
  @Nullable
  String refuse(SessionId id, QuickFixSession section, MessageView logon, Peer peer);
}
