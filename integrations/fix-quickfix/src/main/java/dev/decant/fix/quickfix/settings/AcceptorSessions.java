package dev.decant.fix.quickfix.settings;

import dev.decant.fix.Authenticator;
import dev.decant.fix.FixSession;
import dev.decant.fix.Peer;
import dev.decant.fix.message.FieldWriter;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one port: checks the address of a counterparty, and makes sessions by templates. Any thread.
 */
final class AcceptorSessions implements Authenticator {
  private static final String ANY = "*";

  private final List<QuickFixSession> templates;
  private final Map<SessionId, QuickFixSession> sections = new ConcurrentHashMap<>();
  private final Map<QuickFixSession, Set<InetAddress>> allowed = new ConcurrentHashMap<>();
  private final Authenticator next;

  AcceptorSessions(List<QuickFixSession> sessions, Authenticator next) {
    this.next = next;
    templates = sessions.stream().filter(QuickFixSession::isTemplate).toList();
    for (QuickFixSession session : sessions) {
      if (!session.isTemplate()) {
        sections.put(session.id(), session);
      }
      Set<InetAddress> addresses = session.allowedAddresses();
      if (addresses != null) {
        allowed.put(session, addresses);
      }
    }
  }

  /** The section of a session; null if it has none. */
  @Nullable
  QuickFixSession of(SessionId id) {
    return sections.get(id);
  }

  void writeLogonFields(FixSession session, FieldWriter logon) {
    QuickFixSession section = of(session.id());
    if (section != null) {
      section.writeLogonFields(logon);
    }
  }

  @Override
  public @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
    for (QuickFixSession template : templates) {
      if (matches(template.id(), id) && isAllowed(template, peer)) {
        SessionSettings made = template.settings(id);
        sections.put(id, template);
        return made;
      }
    }
    return next.newSession(id, logon, peer);
  }

  private static boolean matches(SessionId template, SessionId id) {
    return matches(template.beginString(), id.beginString()) && matches(template.senderCompId(), id.senderCompId())
        && matches(template.senderSubId(), id.senderSubId())
        && matches(template.senderLocationId(), id.senderLocationId())
        && matches(template.targetCompId(), id.targetCompId()) && matches(template.targetSubId(), id.targetSubId())
        && matches(template.targetLocationId(), id.targetLocationId());
  }

  private static boolean matches(String template, String value) {
    return template.equals(ANY) || template.equals(value);
  }

  private boolean isAllowed(QuickFixSession section, Peer peer) {
    Set<InetAddress> addresses = allowed.get(section);
    return addresses == null || addresses.contains(peer.address().getAddress());
  }

  @Override
  public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
    QuickFixSession section = of(id);
    if (section != null && !isAllowed(section, peer)) {
      return "this address may not log on";
    }
    return next.refuse(id, logon, peer);
  }
}
