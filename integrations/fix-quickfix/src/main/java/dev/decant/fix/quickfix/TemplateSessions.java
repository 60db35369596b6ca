package dev.decant.fix.quickfix;

import dev.decant.fix.quickfix.settings.QuickFixOpening;
import dev.decant.fix.quickfix.settings.QuickFixSession;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import quickfix.ConfigError;
import quickfix.SessionID;

/**
 * Templates that the application has added to those of the settings, each for a port. Immutable.
 *
 * @param added in the order in which they are tried
 */
record TemplateSessions(List<Added> added) {
  static final TemplateSessions NONE = new TemplateSessions(List.of());

  /** A pattern and its template, for the counterparties of a port. */
  record Added(SocketAddress address, DynamicAcceptorSessionProvider.TemplateMapping mapping) {}

  TemplateSessions {
    added = List.copyOf(added);
  }

  TemplateSessions with(SocketAddress address, List<DynamicAcceptorSessionProvider.TemplateMapping> mappings) {
    List<Added> all = new ArrayList<>(added);
    mappings.forEach(mapping -> all.add(new Added(address, mapping)));
    return new TemplateSessions(all);
  }

  void addTo(QuickFixOpening opening, QuickFixSettings settings) throws ConfigError {
    for (Added one : added) {
      SessionID id = one.mapping().getTemplateID();
      QuickFixSession section = section(settings, id);
      if (section == null) {
        throw new ConfigError("the settings have no section " + id + ", which a session provider has as a template");
      }
      if (!(one.address() instanceof InetSocketAddress address)) {
        throw new ConfigError(one.address() + " is no address of TCP; give a session provider one");
      }
      opening.template(address, SessionIds.toDecant(one.mapping().getPattern()), section);
    }
  }

  private static @Nullable QuickFixSession section(QuickFixSettings settings, SessionID id) {
    for (QuickFixSession session : settings.sessions()) {
      if (session.id().equals(SessionIds.toDecant(id))) {
        return session;
      }
    }
    return null;
  }
}
