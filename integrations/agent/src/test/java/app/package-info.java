/** An application's code, which the agent changes. */
package app;
