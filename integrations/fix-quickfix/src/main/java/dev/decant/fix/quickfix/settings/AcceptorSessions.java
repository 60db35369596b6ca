package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Authenticator;
import dev.decant.fix.FixSession;
import dev.decant.fix.Peer;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one port. Finds the section of a session, and checks the address of a counterparty. Immutable; any
 * thread.
 */
final class AcceptorSessions implements Authenticator {
  private static final String ANY = "*";

  /** A section that creates sessions at their Logon(A), for the counterparties of a pattern. */
  record Template(SessionId pattern, QuickFixSession section) {
    boolean matches(SessionId id) {
      return matches(pattern.beginString(), id.beginString()) && matches(pattern.senderCompId(), id.senderCompId())
          && matches(pattern.senderSubId(), id.senderSubId())
          && matches(pattern.senderLocationId(), id.senderLocationId())
          && matches(pattern.targetCompId(), id.targetCompId()) && matches(pattern.targetSubId(), id.targetSubId())
          && matches(pattern.targetLocationId(), id.targetLocationId());
    }

    private static boolean matches(String wanted, String value) {
      return wanted.equals(ANY) || wanted.equals(value);
    }
  }

  private final List<Template> templates;
  private final Map<SessionId, QuickFixSession> sections = new HashMap<>();
  private final SectionAuthenticator next;

  /** Creates the sessions of a port. Templates that were added come before those of the sections. */
  AcceptorSessions(List<QuickFixSession> sessions, List<Template> added, SectionAuthenticator next) {
    this.next = next;
    List<Template> all = new ArrayList<>(added);
    for (QuickFixSession session : sessions) {
      if (session.isTemplate()) {
        all.add(new Template(session.id(), session));
      } else {
        sections.put(session.id(), session);
      }
    }
    templates = List.copyOf(all);
  }

  List<Template> templates() {
    return templates;
  }

  /** Returns the section of a session, or of the template that creates it; null if there is neither. */
  @Nullable
  QuickFixSession of(SessionId id) {
    QuickFixSession section = sections.get(id);
    if (section != null) {
      return section;
    }
    for (Template template : templates) {
      if (template.matches(id)) {
        return template.section();
      }
    }
    return null;
  }

  void writeLogonFields(FixSession session, FieldWriter logon) {
    QuickFixSession section = of(session.id());
    if (section != null) {
      section.writeLogonFields(logon);
    }
  }

  /** Refuses addresses that may not log on, without asking the application, and asks it about all others. */
  @Override
  public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
    QuickFixSession section = of(id);
    if (section == null) {
      return "there is no such session";
    }
    return section.addressRules().admits(peer.address().getAddress())
        ? next.refuse(id, section, logon, peer)
        : "this address may not log on";
  }
}
