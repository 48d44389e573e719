// Tabs, the reader's scheme, and what to say when the kernel is gone.
(() => {
  const address = new URL(location.href);
  if (address.searchParams.has("token")) {
    // A link that is copied from here must not hand on the token.
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }

  // On the root: Voila marks the body as light.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const mark = (isDark) => document.documentElement.setAttribute("data-jp-theme-light", String(!isDark));
  const follow = () => mark(dark.matches);
  dark.addEventListener("change", follow);
  follow();
  // Paper is white.
  addEventListener("beforeprint", () => mark(false));
  addEventListener("afterprint", follow);

  // Voila would end the kernel of a page that may stay yet, and is refused: "pagehide" is enough.
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation());

  // Of the page's kernel, once there is one: the page is read while the kernel works.
  const configured = () =>
    JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "null");
  // A closed page gives its place to others, also before anything is shown.
  addEventListener("pagehide", () => {
    const config = configured();
    if (config) navigator.sendBeacon(`${config.baseUrl}leave/${config.kernelId}`);
  });

  const LOOK = 30_000; // [ms]
  const AGAIN = 2_000; // where nothing answers, or a reader acts
  const watch = () => {
    const config = configured();
    const over = document.getElementById("fk-over");
    over.querySelector("a").href = location.href;
    let next;
    let last = 0;
    const look = async () => {
      last = Date.now();
      const answer = await fetch(`${config.baseUrl}api/kernels/${config.kernelId}`).catch(() => null);
      over.hidden = Boolean(answer?.ok);
      lookIn(answer ? LOOK : AGAIN); // a kernel that is gone doesn't come back
    };
    const lookIn = (delay) => {
      clearTimeout(next);
      next = setTimeout(look, delay);
    };
    lookIn(LOOK);
    // What is chosen on a page that has lost its kernel comes to nothing.
    const lookSoon = () => lookIn(Math.max(0, last + AGAIN - Date.now()));
    for (const act of ["click", "change"]) addEventListener(act, lookSoon);
    // A page that comes back by "Back" has lost its kernel.
    addEventListener("pageshow", (event) => event.persisted && look());
  };

  const open = (tabs, chosen) => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
    }
  };

  window.voila_process = () => {};
  window.fkOpened = () => {
    const tabs = [...document.querySelectorAll('[role="tab"]')];
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    tabs.forEach((tab, place) => {
      tab.addEventListener("click", () => open(tabs, tab));
      tab.addEventListener("keydown", (event) => {
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const last = tabs.length - 1;
        const next = Number.isFinite(step)
          ? tabs[(place + step + tabs.length) % tabs.length]
          : tabs[step < 0 ? 0 : last];
        open(tabs, next);
        next.focus();
      });
    });
    const asked = new URL(location.href).search.match(/[?&](flights|equipment|projects)\./)?.[1];
    const first = tabs.find((tab) => tab.textContent.toLowerCase() === asked);
    if (first) open(tabs, first);
    watch();
  };
})();
