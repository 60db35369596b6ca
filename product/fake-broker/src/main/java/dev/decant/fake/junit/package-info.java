/**
 * A fake cluster as an extension of JUnit Jupiter, 5.12 or newer, and for contexts of Spring's tests. The other
 * packages of the module need neither, and their APIs come from the dependencies of the test.
 */
@NullMarked
package dev.decant.fake.junit;

import org.jspecify.annotations.NullMarked;
