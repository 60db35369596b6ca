/**
 * Engines and sessions as MXBeans. The only package that needs the module {@code java.management}: an engine without
 * {@link dev.decant.fix.FixEngine.Builder#jmx} runs without.
 */
@NullMarked
package dev.decant.fix.jmx;

import org.jspecify.annotations.NullMarked;
