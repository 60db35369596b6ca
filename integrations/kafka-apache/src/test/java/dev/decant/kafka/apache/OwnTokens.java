package dev.decant.kafka.apache;

import java.util.List;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.oauthbearer.JwtRetriever;
import org.apache.kafka.common.security.oauthbearer.JwtRetrieverException;
import org.apache.kafka.common.security.oauthbearer.JwtValidator;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;

/** An application's classes that fetch and check tokens. Releases of kafka-clients before 4.1 lack the interfaces. */
final class OwnTokens {
  private OwnTokens() {}

  /** Fetches tokens. */
  public static final class Retriever implements JwtRetriever {
    private Map<String, ?> configs = Map.of();

    @Override
    public void configure(Map<String, ?> given, String mechanism, List<AppConfigurationEntry> entries) {
      configs = given;
      OwnSaslClasses.TOLD.add("Retriever configured for " + mechanism + ", acme.team=" + given.get("acme.team"));
    }

    @Override
    public String retrieve() {
      if ("Retriever.retrieve".equals(configs.get("acme.fails"))) {
        throw new JwtRetrieverException("the vault has no token");
      }
      return "fetched";
    }

    @Override
    public void close() {
      OwnSaslClasses.TOLD.add("Retriever closed");
    }
  }

  /** Checks tokens. */
  public static final class Validator implements JwtValidator {
    @Override
    public void configure(Map<String, ?> given, String mechanism, List<AppConfigurationEntry> entries) {
      OwnSaslClasses.TOLD.add("Validator configured for " + mechanism);
    }

    @Override
    public OAuthBearerToken validate(String accessToken) {
      OwnSaslClasses.TOLD.add("Validator asked about " + accessToken);
      long now = System.currentTimeMillis();
      return OwnSaslClasses.TokenHandler.token(OwnSaslClasses.SECRET + ".checked", now, now + 3_600_000);
    }
  }
}
