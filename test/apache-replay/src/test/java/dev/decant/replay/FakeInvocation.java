package dev.decant.replay;

import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.test.ClusterInstance;
import org.apache.kafka.common.test.api.ClusterConfig;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;

/**
 * Takes the place of {@code RaftClusterInvocationContext}, which gives a cluster to each invocation of a {@code
 * ClusterTest}: the cluster is a {@link FakeInstance}.
 */
public final class FakeInvocation implements TestTemplateInvocationContext {
  private final String name;
  private final ClusterConfig config;

  /** As that of the class whose place it takes; a fake cluster has no controllers to be combined with its brokers. */
  public FakeInvocation(String name, ClusterConfig config, boolean isCombined) {
    this.name = name;
    this.config = config;
  }

  @Override
  public String getDisplayName(int index) {
    return String.format(Locale.ROOT, "%s [%d] Type=Fake, %s", name, index, String.join(",", config.displayTags()));
  }

  @Override
  public List<Extension> getAdditionalExtensions() {
    FakeInstance instance = new FakeInstance(config);
    BeforeEachCallback before = context -> {
      if (config.isAutoStart()) {
        instance.start();
      }
    };
    AfterTestExecutionCallback after = context -> instance.stop();
    return List.of(before, after, new Instance(instance));
  }

  private record Instance(ClusterInstance instance) implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == ClusterInstance.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return instance;
    }
  }
}
