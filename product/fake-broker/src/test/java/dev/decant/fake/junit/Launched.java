package dev.decant.fake.junit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs test classes inside a test, as JUnit does for a user. */
final class Launched {
  private Launched() {}

  static TestExecutionSummary run(Map<String, String> parameters, Class<?>... classes) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create(LauncherConfig.builder().enableLauncherSessionListenerAutoRegistration(false)
        .enableTestExecutionListenerAutoRegistration(false).build())
        .execute(LauncherDiscoveryRequestBuilder.request()
            .selectors(Stream.of(classes).map(type -> (DiscoverySelector) selectClass(type)).toList())
            .configurationParameters(parameters).build(), listener);
    return listener.getSummary();
  }
}
