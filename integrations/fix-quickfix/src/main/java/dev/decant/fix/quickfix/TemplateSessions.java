package dev.decant.fix.quickfix;

import dev.decant.fix.Authenticator;
import dev.decant.fix.Peer;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.quickfix.settings.QuickFixSession;
import dev.decant.fix.quickfix.settings.QuickFixSettings;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import quickfix.SessionID;

/**
 * Sessions that are made at their Logon: by the templates of the settings, and by those that the application has added.
 *
 * @param mappings pattern and template, in the order in which they are tried
 */
record TemplateSessions(List<DynamicAcceptorSessionProvider.TemplateMapping> mappings) {
  static final TemplateSessions NONE = new TemplateSessions(List.of());

  TemplateSessions {
    mappings = List.copyOf(mappings);
  }

  TemplateSessions with(List<DynamicAcceptorSessionProvider.TemplateMapping> more) {
    List<DynamicAcceptorSessionProvider.TemplateMapping> all = new ArrayList<>(mappings);
    all.addAll(more);
    return new TemplateSessions(all);
  }

  private static @Nullable QuickFixSession section(QuickFixSettings settings, SessionID id) {
    for (QuickFixSession session : settings.sessions()) {
      if (session.id().equals(SessionIds.toDecant(id))) {
        return session;
      }
    }
    return null;
  }

  /** Asks the next authenticator once a session that has no section of its own is made. */
  Authenticator before(Authenticator next, QuickFixSettings settings, BiConsumer<SessionId, QuickFixSession> made) {
    return new Authenticator() {
      @Override
      public @Nullable SessionSettings newSession(SessionId id, MessageView logon, Peer peer) {
        for (DynamicAcceptorSessionProvider.TemplateMapping mapping : mappings) {
          QuickFixSession template = section(settings, mapping.getTemplateID());
          if (template != null && mapping.matches(id)) {
            return template.settings(id);
          }
        }
        return null;
      }

      @Override
      public @Nullable String refuse(SessionId id, MessageView logon, Peer peer) {
        QuickFixSession template = template(id);
        if (template != null) {
          made.accept(id, template);
        }
        return next.refuse(id, logon, peer);
      }

      private @Nullable QuickFixSession template(SessionId id) {
        for (DynamicAcceptorSessionProvider.TemplateMapping mapping : mappings) {
          if (mapping.matches(id)) {
            return section(settings, mapping.getTemplateID());
          }
        }
        for (QuickFixSession session : settings.sessions()) {
          if (session.isTemplate()
              && new DynamicAcceptorSessionProvider.TemplateMapping(SessionIds.toQuickFix(session.id()),
                  SessionIds.toQuickFix(session.id())).matches(id)) {
            return session;
          }
        }
        return null;
      }
    };
  }
}
